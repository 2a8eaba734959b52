"""The content manifest of a data set on disk."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from samerun.data.manifest import Change, changes, manifest_digest, manifest_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    (data / "cats").mkdir(parents=True)
    (data / "cats" / "1.png").write_bytes(b"cat")
    (data / "labels.csv").write_bytes(b"a,b\n")
    return data


def test_each_file_has_an_id_a_size_and_a_digest(folder: Path) -> None:
    first, second = manifest_of(folder)
    assert (first.id, first.size) == ("cats/1.png", 3) and (second.id, second.size) == ("labels.csv", 4)
    assert first.sha256.startswith("sha256:")
    assert manifest_of(folder / "labels.csv")[0].id == "labels.csv"


def test_the_digest_follows_content_and_names_not_the_place(folder: Path, tmp_path: Path) -> None:
    wanted = manifest_digest(manifest_of(folder))
    shutil.copytree(folder, tmp_path / "elsewhere")
    assert manifest_digest(reversed(manifest_of(tmp_path / "elsewhere"))) == wanted
    (folder / "labels.csv").rename(folder / "label.csv")
    assert manifest_digest(manifest_of(folder)) != wanted


def test_changes_name_what_was_added_removed_and_changed(folder: Path) -> None:
    old = manifest_of(folder)
    (folder / "labels.csv").write_bytes(b"a,c\n")
    (folder / "new").write_bytes(b"")
    (folder / "cats" / "1.png").unlink()
    found = changes(old, manifest_of(folder))
    assert [change.id for change in found] == ["cats/1.png", "labels.csv", "new"]
    assert found[0] == Change("cats/1.png", old[0].sha256, None) and found[2].before is None
    assert changes(old, old) == []
