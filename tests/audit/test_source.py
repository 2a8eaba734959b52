"""Files that are Python, and everything else that may be called so."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from samerun.audit import source
from samerun.audit.source import Unreadable, decoded, parsed, read_bytes


def test_a_mark_at_the_beginning_is_no_text() -> None:
    assert parsed(decoded(b"\xef\xbb\xbfx = 1")).lines == ("x = 1",)


def test_a_declared_encoding_is_obeyed() -> None:
    assert decoded("# coding: latin-1\nx = 'é'".encode("latin-1")).endswith("'é'")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x = 1\n\xff\xfe", "is not utf-8 text"),
        (b"x = 1\0", "null bytes"),
        (b"# coding: klingon\nx = 1", "encoding is unknown"),
    ],
)
def test_what_is_no_text_says_why(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        decoded(data)


def test_the_line_that_is_no_text_is_named() -> None:
    with pytest.raises(Unreadable) as refusal:
        decoded(b"x = 1\ny = 2\nz = '\xff'")
    assert refusal.value.line == 3


@pytest.mark.parametrize(
    "text", ["print 'x'", "x = (", "def f(:\n  pass", "(" * 1000 + ")" * 1000, "-" * 200_000 + "1"]
)
def test_what_is_no_python_says_why(text: str) -> None:
    with pytest.raises(Unreadable):
        parsed(text)


def test_an_invalid_escape_is_no_business_of_an_audit() -> None:
    assert parsed("x = '\\d'").tree.body


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "LARGEST_BYTES", 3)
    (tmp_path / "x.py").write_text("x = 1")
    with pytest.raises(Unreadable, match="larger than"):
        read_bytes(tmp_path / "x.py")


def test_a_file_that_is_gone_says_so(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="cannot be read"):
        read_bytes(tmp_path / "x.py")


def test_columns_count_characters() -> None:
    read = parsed("é = 'ü'; y = 1\r\nz = 2")
    assert isinstance(read.tree, ast.Module)
    assert [read.place(node) for node in read.tree.body] == [(1, 1), (1, 10), (2, 1)]
