"""The stored source is read whole or not at all."""

from pathlib import Path

import pytest

from samerun.base import files
from samerun.base.sealed import read_sealed, write_sealed
from samerun.errors import DamageError
from samerun.record import layout
from samerun.record.source import Source, gather
from samerun.record.source_document import write_source
from samerun.record.source_read import read_snapshot, read_source


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    from samerun.record.source import SourceFile

    run = tmp_path / "run"
    run.mkdir()
    text = b"x = 1\n"
    file = SourceFile("user", "cell.py", "python", "sha256:1", "sha256:2", len(text), text=text)
    write_source(run, Source(tmp_path, (file,)))
    return run


def test_a_snapshot_comes_back(folder: Path) -> None:
    assert read_snapshot(folder) == {"user/cell.py": b"x = 1\n"}
    assert set(read_source(folder)["files"]) == {"user/cell.py"}


@pytest.mark.parametrize("name", [layout.SOURCE, layout.SOURCE_FILES, layout.SOURCE_PATCH])
def test_a_missing_or_changed_file_is_damage(folder: Path, name: str) -> None:
    path = folder / name
    whole = path.read_bytes()
    path.write_bytes(whole + b"\n")
    with pytest.raises(DamageError):
        read_snapshot(folder)
    path.unlink()
    with pytest.raises(DamageError, match="SR-RECORD-022"):
        read_snapshot(folder)


@pytest.mark.parametrize("change", [{"snapshot": None}, {"patch": 3}, {"files": []}, {"schema": "x"}])
def test_a_document_of_another_shape_is_damage(folder: Path, change: dict[str, object]) -> None:
    path = folder / layout.SOURCE
    write_sealed(path, {**read_sealed(path), **change})
    with pytest.raises(DamageError, match="SR-RECORD-021"):
        read_source(folder)


ROW = {"content": "sha256:0", "mode": "100644", "size_bytes": 1, "is_stored": False, "num_redacted": 0}


@pytest.mark.parametrize("name", ["user/../../x", "user//x", "rule/a\\b", "user/a/../b", "/x", "own/.", "user/"])
def test_a_row_whose_name_could_lead_out_of_a_folder_is_damage(folder: Path, name: str) -> None:
    path = folder / layout.SOURCE
    document = read_sealed(path)
    write_sealed(path, {**document, "files": {**document["files"], name: ROW}})
    with pytest.raises(DamageError, match="SR-RECORD-021") as caught:
        read_source(folder)
    assert repr(name) in caught.value.evidence[0]


@pytest.mark.parametrize("row", [7, {**ROW, "content": None}, {**ROW, "num_redacted": "1"}, {"content": "sha256:0"}])
def test_a_row_that_lacks_a_field_is_damage(folder: Path, row: object) -> None:
    path = folder / layout.SOURCE
    write_sealed(path, {**read_sealed(path), "files": {"user/x.py": row}})
    with pytest.raises(DamageError, match=r"user/x\.py"):
        read_source(folder)


def test_the_name_of_a_changed_file_is_gits_and_no_path(folder: Path) -> None:
    path = folder / layout.SOURCE
    write_sealed(path, {**read_sealed(path), "files": {"changed/a\\b": ROW}})
    assert list(read_source(folder)["files"]) == ["changed/a\\b"]


def test_a_kill_at_any_operation_of_a_rewrite_leaves_a_source_that_reads(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.py").write_text("A = 1\n")
    late = tmp_path / "project" / "late.py"
    late.write_text("B = 1\n")
    source = gather(tmp_path / "project", [tmp_path / "project" / "a.py"])

    class Killed(Exception):
        pass

    for number in range(100):
        folder = tmp_path / f"run-{number}"
        folder.mkdir()
        write_source(folder, source)
        left = [number]

        def hook(operation: str, path: Path, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise Killed

        files.on_operation(hook)
        try:
            write_source(folder, source.with_late([late]))
        except Killed:
            files.on_operation(None)
            read_source(folder)
            read_snapshot(folder)
        else:
            files.on_operation(None)
            assert "user/late.py" in read_snapshot(folder) and "superseded" not in read_source(folder)
            assert number > 5
            return
    raise AssertionError("it never ended")
