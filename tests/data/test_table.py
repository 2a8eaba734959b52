"""Rows of tables as they stand there."""

from __future__ import annotations

from pathlib import Path

import pytest

from samerun.data.table import Irregular, Rows, read_csv, read_jsonl, read_parquet


def test_cells_of_a_csv_file_are_text_and_lines_are_counted(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes('\ufeffa,b\n1,"x\ny"\n\n 2 ,\n'.encode())
    assert read_csv(tmp_path / "x.csv") == Rows(("a", "b"), [["1", "x\ny"], [" 2 ", ""]], [3, 5])
    (tmp_path / "x.csv").write_text("\n")
    assert read_csv(tmp_path / "x.csv").names == ()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a,b\n1\n", "line 2: 1 cells"),
        ("a,a\n1,2\n", "columns named twice: a"),
        ('a\n"x\n', "line 2: unexpected end of data"),
        ("a\n\udcff\n", "byte 2 is not UTF-8"),
    ],
)
def test_an_irregular_csv_file_is_said_with_its_line(tmp_path: Path, text: str, found: str) -> None:
    (tmp_path / "x.csv").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(Irregular, match=found):
        read_csv(tmp_path / "x.csv")


def test_a_key_that_a_line_of_json_lacks_is_none(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"b": [1], "a": "x"}\n\n{"c": null}\n')
    wanted = Rows(("a", "b", "c"), [["x", [1], None], [None, None, None]], [1, 3])
    assert read_jsonl(tmp_path / "x.jsonl") == wanted


@pytest.mark.parametrize(
    ("text", "found"), [("{", "line 1"), ("{}\n[1]\n", "line 2: no object"), ("[" * 99999, "line 1")]
)
def test_a_line_that_is_no_object_is_said(tmp_path: Path, text: str, found: str) -> None:
    (tmp_path / "x.jsonl").write_text(text)
    with pytest.raises(Irregular, match=found):
        read_jsonl(tmp_path / "x.jsonl")


def test_values_of_parquet_keep_their_kind_and_rubbish_is_irregular(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"a": [1, None], "b": [b"x", b"y"]}), tmp_path / "x.parquet")
    found = read_parquet(tmp_path / "x.parquet")
    assert (found.names, list(found.rows), list(found.lines)) == (("a", "b"), [(1, b"x"), (None, b"y")], [1, 2])
    (tmp_path / "x.parquet").write_text("x")
    with pytest.raises(Irregular):
        read_parquet(tmp_path / "x.parquet")
