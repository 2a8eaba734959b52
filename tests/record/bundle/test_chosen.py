"""Which files leave with which choice: what is of one machine, a stranger's or not asked for stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from samerun.checkpoint.chunks import write_chunk
from samerun.checkpoint.write import write_checkpoint
from samerun.errors import DamageError
from samerun.record import layout
from samerun.record.bundle.chosen import choose_files
from samerun.record.bundle.marker import Marker, write_marker
from samerun.record.reader import RunRecord
from samerun.state.tree import pack

MakeRun = Callable[..., Path]


def names_of(folder: Path, checkpoints: str = "last,best") -> set[str]:
    return set(choose_files(RunRecord.open(folder), checkpoints).paths)


def test_what_is_of_one_machine_and_what_no_run_writes_stays(make_run: MakeRun) -> None:
    folder = make_run()
    (folder / layout.LOCK_OWNER).write_text("{}")
    (folder / ".manifest.json.12-0.tmp").write_text("rubble")
    (folder / "notes.txt").write_text("mine")
    (folder / layout.CHECKPOINTS / "evil.py").write_text("mine")
    (folder / "\udcff").write_text("no Unicode")
    leaving = choose_files(RunRecord.open(folder))
    assert [line.split(":")[0] for line in leaving.left_out] == ["checkpoints/evil.py", "notes.txt", "\\xff"]
    packed = names_of(folder)
    assert {"manifest.json", "evaluations/test.json", "marks.json", "drift.json"} <= packed
    assert not any("local" in name or "lock" in name or "tmp" in name or "notes" in name for name in packed)
    assert any(name.startswith("attempts/") for name in packed)


def test_pieces_go_along_with_the_checkpoints_that_name_them(make_run: MakeRun) -> None:
    place = make_run() / layout.CHECKPOINTS
    named, other = (write_chunk(place, {"x": number}) for number in (1, 2))
    write_checkpoint(place, 5, {"pool": pack({"n": 1})}, identity="x", chunks={"pool": [named]})
    kept = {name.rpartition("/")[2].partition(".")[0] for name in names_of(place.parent, "5") if "chunks" in name}
    assert kept == {named.removeprefix("sha256:")}
    every = {name for name in names_of(place.parent, "all") if "chunks" in name}
    assert len(every) == 2 and other.removeprefix("sha256:") in str(every)


def test_evaluations_may_stay(make_run: MakeRun) -> None:
    folder = make_run()
    leaving = choose_files(RunRecord.open(folder), with_evaluations=False)
    assert leaving.left_out == ("evaluations/test.json: it was not asked for",)


def test_checkpoints_that_lie_on_another_disk_are_followed(make_run: MakeRun, tmp_path: Path) -> None:
    folder = make_run()
    wanted = names_of(folder)
    (folder / layout.CHECKPOINTS).rename(tmp_path / "large")
    (folder / layout.CHECKPOINTS).symlink_to(tmp_path / "large")
    assert names_of(folder) == wanted


def test_what_an_earlier_bundle_left_out_is_still_left_out(make_run: MakeRun) -> None:
    folder = make_run()
    write_marker(folder, Marker("sha256:0", (1, 3)))
    assert choose_files(RunRecord.open(folder)).without == (1,)
    assert choose_files(RunRecord.open(folder), "none").without == (1, 3)


def test_a_checkpoint_half_replaced_is_damage(make_run: MakeRun) -> None:
    folder = make_run()
    (folder / "checkpoints/step-00000003").rename(folder / "checkpoints/.step-00000003.aside")
    with pytest.raises(DamageError, match="SR-BUNDLE-004"):
        choose_files(RunRecord.open(folder))
