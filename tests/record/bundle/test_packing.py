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
from samerun.checkpoint.chunks import write_chunk
from samerun.checkpoint.write import write_checkpoint
from samerun.errors import DamageError, MissingError, RefusedError
from samerun.record import layout
from samerun.record.bundle.packing import Packing, gather, leaving_files, write_bundle
from samerun.record.reader import RunRecord
from samerun.state.tree import pack

MakeRun = Callable[..., Path]


def packing_of(folder: Path, *steps: int, is_all: bool = False, with_evaluations: bool = True) -> Packing:
    record = RunRecord.open(folder)
    leaving = leaving_files(record, steps, is_all=is_all, with_evaluations=with_evaluations)
    return gather(record, leaving, {})


def bytes_of(packing: Packing) -> bytes:
    return b"".join(packing.chunks())


def names_of(packing: Packing) -> set[str]:
    return {member.name for member in packing.members}


def test_a_copy_made_in_another_order_at_another_time_packs_into_the_same_bytes(make_run: MakeRun, tmp_path: Path) -> None:
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
    first = packing_of(folder, 3)
    assert bytes_of(first) == bytes_of(packing_of(copy, 3)) and len(bytes_of(first)) == first.size_bytes


def test_what_is_of_one_machine_and_what_no_run_writes_stays(make_run: MakeRun) -> None:
    folder = make_run()
    (folder / layout.LOCK_OWNER).write_text("{}")
    (folder / ".manifest.json.12-0.tmp").write_text("rubble")
    (folder / "notes.txt").write_text("mine")
    (folder / layout.CHECKPOINTS / "evil.py").write_text("mine")
    (folder / "\udcff").write_text("no Unicode")
    leaving = leaving_files(RunRecord.open(folder), (3,), is_all=False, with_evaluations=True)
    assert [line.split(":")[0] for line in leaving.left_out] == ["checkpoints/evil.py", "notes.txt", "\\xff"]
    packed = names_of(packing_of(folder, 3))
    assert {"run/manifest.json", "run/evaluations/test.json", "run/marks.json", "run/drift.json"} <= packed
    assert not any("local" in name or "lock" in name or "tmp" in name or "notes" in name for name in packed)
    assert any(name.startswith("run/attempts/") for name in packed)


def test_a_checkpoint_that_is_left_out_leaves_its_leaf_digests(make_run: MakeRun) -> None:
    folder = make_run()
    whole, without = packing_of(folder, 3), packing_of(folder)
    assert (whole.index.checkpoints, whole.index.without) == ((3,), ())
    assert (without.index.checkpoints, without.index.without) == ((), (3,))
    assert "run/checkpoints/digests/step-00000003.json" in names_of(without) - names_of(whole)
    assert not any(name.startswith("run/checkpoints/step-") for name in names_of(without))


def test_pieces_go_along_with_the_checkpoints_that_name_them(make_run: MakeRun) -> None:
    place = make_run() / layout.CHECKPOINTS
    named, other = (write_chunk(place, {"x": number}) for number in (1, 2))
    write_checkpoint(place, 5, {"pool": pack({"n": 1})}, identity="x", chunks={"pool": [named]})
    kept = {name.rpartition("/")[2].partition(".")[0] for name in names_of(packing_of(place.parent, 5)) if "chunks" in name}
    assert kept == {named.removeprefix("sha256:")}
    every = {name for name in names_of(packing_of(place.parent, 3, 5, is_all=True)) if "chunks" in name}
    assert len(every) == 2 and other.removeprefix("sha256:") in str(every)


def test_evaluations_may_stay(make_run: MakeRun) -> None:
    folder = make_run()
    leaving = leaving_files(RunRecord.open(folder), (3,), is_all=False, with_evaluations=False)
    assert leaving.left_out == ("evaluations/test.json: it was not asked for",)


def test_two_files_that_are_one_on_some_systems_are_not_packed(make_run: MakeRun) -> None:
    folder = make_run()
    shutil.copy(folder / "evaluations/test.json", folder / "evaluations/Test.json")
    with pytest.raises(RefusedError, match="SR-BUNDLE-008"):
        packing_of(folder, 3)


def test_a_link_in_a_record_and_a_checkpoint_half_replaced_are_damage(make_run: MakeRun, tmp_path: Path) -> None:
    folder = make_run()
    (folder / layout.MARKS).rename(tmp_path / "marks.json")
    (folder / layout.MARKS).symlink_to(tmp_path / "marks.json")
    with pytest.raises(DamageError, match="SR-BUNDLE-004"):
        packing_of(folder, 3)
    (folder / layout.MARKS).unlink()
    (folder / "checkpoints/step-00000003").rename(folder / "checkpoints/.step-00000003.aside")
    with pytest.raises(DamageError, match="SR-BUNDLE-004"):
        packing_of(folder, 3)


def test_checkpoints_that_lie_on_another_disk_are_followed(make_run: MakeRun, tmp_path: Path) -> None:
    folder = make_run()
    wanted = bytes_of(packing_of(folder, 3))
    (folder / layout.CHECKPOINTS).rename(tmp_path / "large")
    (folder / layout.CHECKPOINTS).symlink_to(tmp_path / "large")
    assert bytes_of(packing_of(folder, 3)) == wanted


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
