"""data.json and the list of files beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from samerun.base.digest import sha256
from samerun.base.sealed import read_sealed, write_sealed
from samerun.errors import DamageError, MissingError
from samerun.record import data as module
from samerun.record.data import DataRecord, FolderFiles, read_data, write_data

FILES = {f"a/{number}\n": sha256(str(number).encode()) for number in range(5)}
DATA = DataRecord(
    {"input/set": "sha256:1", "input/x": "sha256:2", "input/y": "sha256:3"},
    {"input/set": FolderFiles(FILES, 7, (("pipe", "no regular file"),)), "input/x": FolderFiles({"b": "sha256:9"}, 1)},
)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    write_data(tmp_path, DATA)
    assert read_data(tmp_path) == DATA and [path.name for path in tmp_path.iterdir()] == ["data.json"]
    stored = read_sealed(tmp_path / "data.json")
    assert stored["files"]["input/x"] == {"num_files": 1, "size_bytes": 1, "files": {"b": "sha256:9"}, "left_out": []}


def test_the_files_of_a_large_folder_stand_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LISTED_INSIDE", 4)
    write_data(tmp_path, DATA)
    assert read_data(tmp_path) == DATA
    stored = read_sealed(tmp_path / "data.json")
    assert stored["files"]["input/set"]["files"] is None and stored["files"]["input/set"]["num_files"] == 5
    assert stored["listing"] == {
        "name": "data-files.jsonl",
        "digest": sha256((tmp_path / "data-files.jsonl").read_bytes()),
    }
    assert len((tmp_path / "data-files.jsonl").read_bytes().splitlines()) == 5


def test_a_list_that_was_changed_or_is_gone_is_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LISTED_INSIDE", 4)
    write_data(tmp_path, DATA)
    path = tmp_path / "data-files.jsonl"
    path.write_bytes(path.read_bytes().replace(b"a/1", b"a/9"))
    with pytest.raises(DamageError, match="SR-DATA-035"):
        read_data(tmp_path)
    path.unlink()
    with pytest.raises(DamageError, match="SR-RECORD-022"):
        read_data(tmp_path)


def test_a_run_without_inputs_has_none(tmp_path: Path) -> None:
    with pytest.raises(DamageError, match="SR-RECORD-022"):
        read_data(tmp_path)
    write_data(tmp_path, DataRecord())
    assert read_data(tmp_path) == DataRecord()


def test_a_later_format_and_another_document_are_refused(tmp_path: Path) -> None:
    write_data(tmp_path, DATA)
    stored = read_sealed(tmp_path / "data.json")
    write_sealed(tmp_path / "data.json", {**stored, "format": 99})
    with pytest.raises(MissingError, match="SR-RECORD-020"):
        read_data(tmp_path)
    write_sealed(tmp_path / "data.json", {**stored, "schema": "samerun.source"})
    with pytest.raises(DamageError, match="SR-RECORD-021"):
        read_data(tmp_path)
