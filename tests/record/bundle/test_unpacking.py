"""A bundle becomes a run folder at once, whole, beside what is there, or not at all."""

from __future__ import annotations

import errno
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from samerun.base import files
from samerun.base.sealed import seal
from samerun.checkpoint.write import write_checkpoint
from samerun.errors import DamageError, MissingError
from samerun.record import layout
from samerun.record.bundle.chosen import choose_files
from samerun.record.bundle.marker import read_marker
from samerun.record.bundle.names import CRATE, INDEX
from samerun.record.bundle.opened import open_bundle
from samerun.record.bundle.packing import Packing, gather, write_bundle
from samerun.record.bundle.standing import is_there, place_in
from samerun.record.bundle.unpacking import check_members, read_through, target_of, written
from samerun.record.manifest import Entry
from samerun.record.reader import RunRecord
from samerun.state.tree import pack

Hostile = Callable[..., Path]


def fine(folder: Path) -> list[str]:
    return []


def test_what_was_packed_is_what_is_there_with_a_word_of_where_it_came_from(bundle: Path, tmp_path: Path) -> None:
    runs = tmp_path / "elsewhere"
    with open_bundle(bundle) as opened:
        check_members(opened)
        read_through(opened)
        with written(opened, runs / opened.index.folder, fine) as hidden:
            assert hidden.name.startswith(".") and RunRecord.open(hidden).manifest.name == "digits"
            folder = place_in(runs, opened, hidden)
        assert folder.name == opened.index.folder and is_there(opened, folder)
    assert [path.name for path in runs.iterdir()] == [folder.name]
    marker = read_marker(folder)
    assert marker is not None and marker.without == ()
    assert not (folder / layout.LOCAL).exists() and not (folder / CRATE).exists() and not (folder / INDEX).exists()


@pytest.mark.parametrize(
    "name",
    ["run/local.json", "run/.lock", "run/unpacked.json", "run/evil.py", "run/checkpoints/step-00000003/x.py",
     "run/unpacked-data/x.csv", "evil.py", "manifest.json", "runs/manifest.json"],
)  # fmt: skip
def test_a_file_that_no_run_writes_is_refused(hostile: Hostile, name: str) -> None:
    with open_bundle(hostile({name: b"x"})) as opened, pytest.raises(DamageError, match="SR-BUNDLE-011"):
        check_members(opened)


def test_a_run_that_is_not_whole_leaves_nothing(bundle: Path, tmp_path: Path) -> None:
    with (
        open_bundle(bundle) as opened,
        pytest.raises(DamageError, match="SR-BUNDLE-015"),
        written(opened, tmp_path / "out" / "x", lambda folder: ["metrics.jsonl: a row is gone"]),
    ):
        raise AssertionError
    assert list((tmp_path / "out").iterdir()) == []


def test_an_index_that_is_of_another_run_than_the_manifest_is_refused(packing: Packing, tmp_path: Path) -> None:
    from samerun.record.bundle.members import member_of_bytes

    index = replace(packing.index, name="another")
    other = Packing(index, (member_of_bytes(INDEX, index.as_bytes()), *packing.members[1:]))
    write_bundle(other, tmp_path / "x.zip")
    with (
        open_bundle(tmp_path / "x.zip") as opened,
        pytest.raises(DamageError, match="SR-BUNDLE-015") as caught,
        written(opened, tmp_path / "out" / "x", fine),
    ):
        raise AssertionError
    assert "another-" in str(caught.value)


def test_source_whose_path_leads_out_is_refused(make_run: Callable[..., Path], tmp_path: Path) -> None:
    folder = make_run()
    path = folder / layout.SOURCE
    document = RunRecord.open(folder).document(layout.SOURCE)
    row = next(iter(document["files"].values()))
    path.write_bytes(seal({**document, "files": {"user/../../evil.py": row}}))
    record = RunRecord.open(folder)
    write_bundle(gather(record, choose_files(record, "none"), {}), tmp_path / "x.zip")
    with (
        open_bundle(tmp_path / "x.zip") as opened,
        pytest.raises(DamageError, match=r"'user/../../evil\.py': it is no plain relative path"),
        written(opened, tmp_path / "out" / "x", fine),
    ):
        raise AssertionError


@pytest.mark.parametrize("names", [("user/a", "user/a/b.py"), ("rule/" + "n" * 256,)])
def test_source_that_cannot_be_restored_is_refused(
    make_run: Callable[..., Path], tmp_path: Path, names: tuple[str, ...]
) -> None:
    folder = make_run()
    document = RunRecord.open(folder).document(layout.SOURCE)
    row = next(iter(document["files"].values()))
    (folder / layout.SOURCE).write_bytes(seal({**document, "files": dict.fromkeys(names, row)}))
    record = RunRecord.open(folder)
    write_bundle(gather(record, choose_files(record, "none"), {}), tmp_path / "x.zip")
    with (
        open_bundle(tmp_path / "x.zip") as opened,
        pytest.raises(DamageError, match="SR-BUNDLE-015") as caught,
        written(opened, tmp_path / "out" / "x", fine),
    ):
        raise AssertionError
    assert "cannot be restored" in caught.value.evidence[0]


@pytest.mark.parametrize("path", ["/tmp/x.py", "../x.py", "a/../../x.py"])
def test_a_script_that_leads_out_of_its_project_is_refused(
    make_run: Callable[..., Path], tmp_path: Path, path: str
) -> None:
    record = RunRecord.open(make_run(entry=Entry("script", (), path)))
    write_bundle(gather(record, choose_files(record), {}), tmp_path / "x.zip")
    with (
        open_bundle(tmp_path / "x.zip") as opened,
        pytest.raises(DamageError, match="leads out of its project"),
        written(opened, tmp_path / "out" / "x", fine),
    ):
        raise AssertionError


@pytest.mark.parametrize("operation", ["write", "fsync", "mkdir", "rename"])
def test_a_full_disk_leaves_no_run(bundle: Path, tmp_path: Path, operation: str) -> None:
    place = tmp_path / "out"
    place.mkdir()
    seen = []

    def fail(found: str, path: Path) -> None:
        if (
            found == operation
            and place in path.parents
            and not seen.append(path)
            and len(seen) > 4 * (found != "rename")
        ):
            raise OSError(errno.ENOSPC, "full")

    files.on_operation(fail)
    try:
        with (
            open_bundle(bundle) as opened,
            pytest.raises(MissingError, match="SR-FILE"),
            written(opened, place / "x", fine) as hidden,
        ):
            place_in(place, opened, hidden)
    finally:
        files.on_operation(None)
    assert [path.name for path in place.iterdir() if (path / layout.MANIFEST).exists()] == []


def test_no_member_becomes_a_file_outside_of_the_folder() -> None:
    assert target_of(Path("x"), INDEX) is target_of(Path("x"), CRATE) is None
    assert target_of(Path("x"), "run/manifest.json") == Path("x/manifest.json")
    assert target_of(Path("x"), "data/a/b.csv") == Path("x/unpacked-data/a/b.csv")


def test_a_large_checkpoint_is_never_in_memory(make_run: Callable[..., Path], tmp_path: Path) -> None:
    folder = make_run()
    write_checkpoint(folder / layout.CHECKPOINTS, 9, {"model": pack({"w": np.zeros(3_000_000)})}, identity="x")
    record = RunRecord.open(folder)
    tracemalloc.start()
    try:
        write_bundle(gather(record, choose_files(record), {}), tmp_path / "x.zip")
        with open_bundle(tmp_path / "x.zip") as opened, written(opened, tmp_path / "out" / "x", fine):
            peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (tmp_path / "x.zip").stat().st_size > 24_000_000 and peak < 8_000_000
