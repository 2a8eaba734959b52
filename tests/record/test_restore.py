"""A snapshot put back into a folder: the user's files, byte for byte, and nothing else."""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from samerun.errors import DamageError
from samerun.record import layout
from samerun.record.restore import restore_source
from samerun.record.source import gather, write_source


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    (project / "pack").mkdir(parents=True)
    (project / "train.py").write_text("import pack.part\n")
    (project / "pack/part.py").write_text("RATE = 1\n")
    run = tmp_path / "run"
    run.mkdir()
    write_source(run, gather(project, [project / "train.py"]))
    return run


def test_files_come_back_with_their_bytes_and_folders(folder: Path, tmp_path: Path) -> None:
    assert restore_source(folder, tmp_path / "new").files == ("pack/part.py", "train.py")
    assert (tmp_path / "new/pack/part.py").read_text() == "RATE = 1\n"
    assert not (tmp_path / "new/own").exists()


def test_nothing_is_written_over(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new/train.py").write_text("mine\n")
    with pytest.raises(FileExistsError):
        restore_source(folder, tmp_path / "new")
    assert (tmp_path / "new/train.py").read_text() == "mine\n"


def test_a_damaged_snapshot_is_damage_and_writes_nothing(folder: Path, tmp_path: Path) -> None:
    (folder / layout.SOURCE_FILES).write_bytes(b"no tar")
    with pytest.raises(DamageError):
        restore_source(folder, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_file_without_its_secret_is_said_to_be_altered_and_one_that_is_not_stored_missing(tmp_path: Path) -> None:
    project, run = tmp_path / "project", tmp_path / "run"
    project.mkdir()
    run.mkdir()
    (project / "train.py").write_text("import fast\nTOKEN = 'hf_abcdefghijklmnopqrstuvwxyz01234567'\n")
    (project / f"fast{EXTENSION_SUFFIXES[0]}").write_bytes(b"\x7fELF")
    write_source(run, gather(project, [project / "train.py"]))
    found = restore_source(run, tmp_path / "new")
    assert (found.files, list(found.altered), list(found.missing)) == (
        (),
        ["train.py"],
        [f"fast{EXTENSION_SUFFIXES[0]}"],
    )
