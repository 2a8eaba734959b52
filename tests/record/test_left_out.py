"""What is left out is named with its size and reason, and digested only where that is quick and no secret."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from samerun.base.digest import sha256
from samerun.record import left_out
from samerun.record.left_out import LeftOut, fault_of, fitting, is_secret_name, with_digests


def row(path: Path, reason: str = "untracked") -> LeftOut:
    return LeftOut(path.name, fault_of(path)[0], reason, counts=False, place=path)


def test_small_files_are_digested_and_secrets_never_are(tmp_path: Path) -> None:
    token = "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vX7"
    contents = {"a.txt": "a", ".env": "A=canary", "notes.md": f"use {token}", "b.txt": "b"}
    for name, text in contents.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "link").symlink_to("a.txt")
    rows = with_digests([*(row(tmp_path / name) for name in (*contents, "link")), LeftOut("x", None, "y", True)])
    assert [one.digest for one in rows] == [sha256(b"a"), None, None, sha256(b"b"), None, None]
    assert with_digests([replace(row(tmp_path / "a.txt"), is_secret=True)])[0].digest is None


def test_no_more_is_read_than_a_start_has_time_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(left_out, "DIGEST_LIMIT", 10)
    for name, size in (("large", 9), ("small", 3), ("smaller", 2)):
        (tmp_path / name).write_bytes(b"x" * size)
    rows = with_digests([row(tmp_path / name) for name in ("large", "small", "smaller")])
    assert [one.digest is None for one in rows] == [True, False, False]


def test_two_gigabytes_are_named_and_not_read(tmp_path: Path) -> None:
    with (tmp_path / "data.bin").open("wb") as file:
        file.truncate(2 << 30)
    (found,) = with_digests([row(tmp_path / "data.bin")])
    assert (found.size_bytes, found.digest) == (2 << 30, None)


def test_what_is_no_plain_file_is_a_fault(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert fault_of(tmp_path / "pipe") == (None, left_out.NOT_PLAIN)
    assert fault_of(tmp_path / "nowhere") == (None, None)


@pytest.mark.parametrize("name", [".env", ".env.local", "prod.env", "ID_RSA", "server.pem", "credentials.json"])
def test_names_that_hold_secrets_are_known(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize("name", ["environment.py", "tokenizer.json", "key_padding.py", "secretary.txt", "env"])
def test_other_names_are_left_alone(name: str) -> None:
    assert not is_secret_name(name)


def test_the_largest_go_first_and_no_more_than_needed() -> None:
    assert fitting([(b"a", 5), (b"b", 4), (b"c", 4)], 8) == {b"a"}
    assert fitting([(b"a", 5)], 5) == set()
