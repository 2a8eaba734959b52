"""Untracked files are named up to a limit; runs, caches and what a rule excludes are not among them."""

from __future__ import annotations

from pathlib import Path

import pytest

from samerun.record import untracked as room
from samerun.record.rules import Rules
from samerun.record.untracked import MORE, REASON, untracked_files


def make(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")


def test_files_and_what_lies_in_untracked_folders_are_named(tmp_path: Path) -> None:
    make(tmp_path, "a.txt", "data/b.csv", "data/deep/c.csv", "data/__pycache__/x.pyc", "data/runs/d/metrics", "net.py")
    rows = untracked_files(
        tmp_path,
        [b"a.txt", b"data/", b"net.py"],
        {tmp_path / "net.py"},
        Rules(exclude=("data/deep",)),
        tmp_path,
        tmp_path / "data/runs",
    )
    assert [(row.path, row.size_bytes, row.counts, row.reason) for row in rows] == [
        ("a.txt", 1, False, REASON),
        ("data/b.csv", 1, False, REASON),
    ]


def test_a_folder_of_many_files_is_named_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "LISTED", 3)
    make(tmp_path, *(f"data/{number}" for number in range(5)), "z.txt")
    rows = untracked_files(tmp_path, [b"data/", b"z.txt"], set(), Rules(), tmp_path, None)
    assert [row.path for row in rows] == ["data/0", "data/1", "data/2", "data/", "z.txt"]
    assert [row.reason == MORE for row in rows] == [False, False, False, True, True]


def test_a_folder_of_more_names_than_a_start_has_time_for_is_not_listed_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "LOOKED_AT", 3)
    make(tmp_path, *(f"data/{number}" for number in range(9)))
    rows = untracked_files(tmp_path, [b"data/"], set(), Rules(), tmp_path, None)
    assert len(rows) == 4 and (rows[-1].path, rows[-1].reason) == ("data/", MORE)
