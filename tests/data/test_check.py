"""A data set against its manifest."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from samerun.data.check import check
from samerun.data.manifest import manifest
from samerun.errors import RefusedError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    data.mkdir()
    for name in "abcd":
        (data / name).write_text(name * 10)
    return data


def test_what_is_there_is_compared_with_what_was(folder: Path) -> None:
    made = manifest(folder)
    assert check(made, folder).is_same
    (folder / "a").write_text("other")
    (folder / "b").unlink()
    (folder / "c").rename(folder / "e")
    (folder / "f").write_text("new")
    found = check(made, folder)
    assert not found.is_same and found.as_json()["counts"] == {
        "missing": 1,
        "extra": 1,
        "altered": 1,
        "moved": 1,
        "relabelled": 0,
    }
    assert next(iter(found.as_json())) == "verdict" and found.duplicates is None


def test_duplicates_are_told_within_and_across_the_splits_of_the_manifest(folder: Path) -> None:
    (folder / "e").write_text("a" * 10)
    made = manifest(folder)
    whole = check(made, folder, duplicates="exact").duplicates
    assert whole is not None and [one.ids for one in whole.exact] == [("a", "e")] and whole.near is None
    placed = [entry._replace(split="test" if entry.id == "e" else "train") for entry in made.entries]
    across = check(replace(made, entries=tuple(placed)), folder, duplicates="exact").duplicates
    assert across is not None and across.exact[0].splits == ("test", "train")
    with pytest.raises(RefusedError, match="SR-DATA-030"):
        check(made, folder, duplicates="exact", strict=True)
    assert check(made, folder, strict=True).is_same


def test_near_duplicates_are_read_from_files_and_from_rows(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("datasketch")
    words = [f"word{number}" for number in range(50)]
    (folder / "x.txt").write_text(" ".join(words))
    (folder / "y.txt").write_text(" ".join([*words, "more"]))
    found = check(manifest(folder), folder, duplicates="near").duplicates
    assert found is not None and found.near is not None and [one.ids for one in found.near] == [("x.txt", "y.txt")]
    table = tmp_path / "x.csv"
    table.write_text(f"id,text\n1,{' '.join(words)}\n2,{' '.join([*words, 'more'])}\n3,other words altogether\n")
    rows = check(manifest(table, items=True, item_id="id"), table, duplicates="near").duplicates
    assert rows is not None and rows.near is not None and [one.ids for one in rows.near] == [("1", "2")]


def test_what_cannot_be_recorded_is_told_or_refused(folder: Path) -> None:
    made = manifest(folder)
    os.mkfifo(folder / "pipe")
    assert check(made, folder).left_out == (("pipe", "no regular file"),)
    with pytest.raises(RefusedError, match="SR-DATA-022"):
        check(made, folder, strict=True)
