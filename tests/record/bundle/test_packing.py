"""Equal records give equal bytes, only what may leave is in them, and a failed write leaves nothing."""

from __future__ import annotations

import errno
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from samerun.base import files
from samerun.base.digest import sha256_file
from samerun.errors import DamageError, MissingError, RefusedError
from samerun.record import layout
from samerun.record.bundle.chosen import choose_files
from samerun.record.bundle.packing import Packing, gather, write_bundle
from samerun.record.reader import RunRecord

MakeRun = Callable[..., Path]


def packing_of(folder: Path, checkpoints: str = "last,best") -> Packing:
    record = RunRecord.open(folder)
    return gather(record, choose_files(record, checkpoints), {})


def bytes_of(packing: Packing) -> bytes:
    return b"".join(packing.chunks())


def names_of(packing: Packing) -> set[str]:
    return {member.name for member in packing.members}


def test_a_copy_made_in_another_order_at_another_time_packs_into_the_same_bytes(
    make_run: MakeRun, tmp_path: Path
) -> None:
    folder = make_run()
    copy = tmp_path / "elsewhere" / "another name"
    copy.mkdir(parents=True)
    for path in sorted(folder.rglob("*"), reverse=True):
        target = copy / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file():
            shutil.copyfile(path, target)
            os.utime(target, (0, 0))
            target.chmod(0o600)
    first = packing_of(folder)
    assert bytes_of(first) == bytes_of(packing_of(copy)) and len(bytes_of(first)) == first.size_bytes


def test_a_checkpoint_that_is_left_out_leaves_its_leaf_digests(make_run: MakeRun) -> None:
    folder = make_run()
    whole, without = packing_of(folder), packing_of(folder, "none")
    assert (whole.index.checkpoints, whole.index.without) == ((3,), ())
    assert (without.index.checkpoints, without.index.without) == ((), (3,))
    assert "run/checkpoints/digests/step-00000003.json" in names_of(without) - names_of(whole)
    assert not any(name.startswith("run/checkpoints/step-") for name in names_of(without))


def test_two_files_that_are_one_on_some_systems_are_not_packed(make_run: MakeRun) -> None:
    folder = make_run()
    shutil.copy(folder / "evaluations/test.json", folder / "evaluations/Test.json")
    with pytest.raises(RefusedError, match="SR-BUNDLE-008"):
        packing_of(folder)


def test_a_link_in_a_record_is_damage(make_run: MakeRun, tmp_path: Path) -> None:
    folder = make_run()
    (folder / layout.MARKS).rename(tmp_path / "marks.json")
    (folder / layout.MARKS).symlink_to(tmp_path / "marks.json")
    with pytest.raises(DamageError, match="SR-BUNDLE-004"):
        packing_of(folder)


def test_the_standard_library_opens_a_bundle(bundle: Path, packing: Packing) -> None:
    with zipfile.ZipFile(bundle) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == [member.name for member in packing.members]


@pytest.mark.parametrize("operation", ["write", "fsync", "rename"])
def test_a_full_disk_leaves_nothing(packing: Packing, tmp_path: Path, operation: str) -> None:
    place = tmp_path / "out"
    place.mkdir()

    def fail(found: str, path: Path) -> None:
        if found == operation and path.parent == place:
            raise OSError(errno.ENOSPC, "full")

    files.on_operation(fail)
    try:
        with pytest.raises(MissingError, match="SR-FILE-001"):
            write_bundle(packing, place / "x.zip")
    finally:
        files.on_operation(None)
    assert list(place.iterdir()) == []


def test_a_file_that_is_there_is_the_same_or_is_kept(packing: Packing, tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    assert write_bundle(packing, path) == write_bundle(packing, path) == sha256_file(path)
    path.write_text("mine")
    with pytest.raises(RefusedError, match="SR-BUNDLE-007"):
        write_bundle(packing, path)
    assert path.read_text() == "mine"
