"""What settings name outside: copied where it is files, else the reason why not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.config.values import Secret
from samerun.rerun import outside
from samerun.rerun.outside import copies_of, lay, outside_of


def test_a_file_and_a_folder_are_found_from_the_project_and_from_anywhere(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("a\n")
    for text in ("rows.csv", str(tmp_path / "rows.csv")):
        found = outside_of("task.path", text, tmp_path)
        assert found is not None and (found.places, found.reason) == ((tmp_path / "rows.csv",), None)
    several = outside_of("task.paths", ("rows.csv", "rows.csv"), tmp_path)
    assert several is not None and len(several.places) == 2


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        ("task.source", "https://example.org/rows.csv", "a URL"),
        ("task.where", "cuda:1", "a device"),
        ("task.data", "owner/name", "a hub id or a path"),
        ("task.data", "/gone/rows.csv", "a path that is not here"),
        ("task.path", "gone.csv", "something outside"),
        ("task.cache_dir", None, "not set"),
        ("task.token", Secret("env:TOKEN"), "a secret"),
        ("task.gpu.device", 1, "is 1"),
    ],
)
def test_what_cannot_be_copied_has_a_reason(path: str, value: Any, reason: str, tmp_path: Path) -> None:
    found = outside_of(path, value, tmp_path)
    assert found is not None and reason in str(found.reason)


@pytest.mark.parametrize(("path", "value"), [("task.how", "inline"), ("workers", 2), ("task.note", None)])
def test_other_settings_name_nothing_outside(path: str, value: Any, tmp_path: Path) -> None:
    assert outside_of(path, value, tmp_path) is None


def test_too_much_is_not_copied_and_its_size_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "MOST_BYTES", 1 << 20)
    with (tmp_path / "rows.csv").open("wb") as file:
        file.truncate(3 << 20)
    found = outside_of("task.path", "rows.csv", tmp_path)
    assert found is not None and str(found.reason).startswith("its data is 3")
    monkeypatch.setattr(outside, "MOST_FILES", 0)
    found = outside_of("task.path", "rows.csv", tmp_path)
    assert found is not None and found.reason == "its data is more than 0 files"


def test_a_copy_has_the_name_and_the_content_links_included(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "a").mkdir(parents=True)
    (data / "a/1.txt").write_text("one")
    (data / "b").symlink_to(data / "a")
    copies = copies_of((data, data / "a/1.txt"), tmp_path / "moved")
    lay(copies)
    (_, folder), (_, file) = copies
    assert (folder.name, file.name, file.read_text()) == ("data", "1.txt", "one")
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*")) == ["a", "a/1.txt", "b", "b/1.txt"]
