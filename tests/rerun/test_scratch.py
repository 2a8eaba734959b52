"""The copy goes on from an earlier checkpoint; the record is not touched, whatever is done to the copy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.base.digest import sha256
from samerun.base.sealed import read_sealed
from samerun.checkpoint.store import list_steps
from samerun.errors import MissingError
from samerun.record import layout
from samerun.record.bundle.marker import Marker, data_of, write_marker
from samerun.record.reader import RunRecord
from samerun.rerun.scratch import common_checkpoint, make_scratch, nearest_checkpoint


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_later_checkpoints_stay_behind_and_the_rest_comes_along(record: Any, tmp_path: Path) -> None:
    made = record(checkpoints=(0, 2, 4))
    copy = make_scratch(made, 2, tmp_path / "work", Path("/code"))
    assert list_steps(copy / layout.CHECKPOINTS) == [0, 2]
    assert [row["step"] for row in RunRecord.open(copy).trail()] == list(range(6))
    assert read_sealed(copy / layout.LOCAL)["root"] == "/code"


def test_digests_and_weights_of_later_steps_stay_behind_too(record: Any, tmp_path: Path) -> None:
    made = record(checkpoints=(0, 2))
    place = made.folder / layout.CHECKPOINTS
    for step in (2, 4):
        for file in (f"digests/step-{step:08}.json", f"weights/step-{step:08}/net.safetensors", "chunks/0a"):
            (place / file).parent.mkdir(parents=True, exist_ok=True)
            (place / file).touch()
    copy = make_scratch(made, 2, tmp_path / "work", None) / layout.CHECKPOINTS
    found = {name.partition("/")[2] for name in contents(copy) if not name.startswith("step-")}
    assert found == {"step-00000002.json", "step-00000002/net.safetensors", "0a"}


def test_a_checkpoint_that_was_set_aside_comes_along_as_the_one_of_its_step(record: Any, tmp_path: Path) -> None:
    made = record(checkpoints=(0, 2, 4))
    place = made.folder / layout.CHECKPOINTS
    for step in (2, 4):
        (place / f"step-{step:08}").rename(place / f".step-{step:08}.aside")
    assert nearest_checkpoint(made, 3) == 2
    assert list_steps(make_scratch(made, 2, tmp_path / "work", None) / layout.CHECKPOINTS) == [0, 2]


def test_writing_into_the_copy_leaves_the_record_alone(record: Any, tmp_path: Path) -> None:
    made = record()
    before = contents(made.folder)
    copy = make_scratch(made, 0, tmp_path / "work", None)
    for path in sorted(copy.rglob("*")):
        if path.is_file() and layout.CHECKPOINTS not in path.parts:
            path.write_bytes(b"overwritten")
        elif path.is_file():
            path.unlink()
    assert contents(made.folder) == before


def test_the_nearest_checkpoint_is_the_newest_at_or_before_the_step(record: Any) -> None:
    made = record(checkpoints=(0, 2, 4))
    assert [nearest_checkpoint(made, step) for step in (0, 1, 2, 3, 5)] == [0, 0, 2, 2, 4]


def test_the_common_checkpoint_is_the_newest_that_both_have_kept(record: Any) -> None:
    made = record(checkpoints=(0, 2, 4))
    other = RunRecord.open(make_scratch(made, 2, made.folder.parent / "work", None))
    assert [common_checkpoint(made, other, step) for step in (1, 2, 5)] == [0, 2, 2]
    assert common_checkpoint(made, other, -1) is None


def test_no_checkpoint_before_the_step_is_said(record: Any) -> None:
    with pytest.raises(MissingError, match="SR-REPLAY-002"):
        nearest_checkpoint(record(checkpoints=(4,)), 3)


def test_data_that_came_with_the_run_come_along(record: Any, tmp_path: Path) -> None:
    made = record()
    place = made.folder / layout.UNPACKED_DATA / "data"
    place.mkdir(parents=True)
    (place / "rows.csv").write_text("a,b\n")
    write_marker(made.folder, Marker("sha256:0", (), {"data/rows.csv": sha256(b"a,b\n")}))
    copy = make_scratch(made, 0, tmp_path / "work", None)
    assert data_of(copy)["data/rows.csv"].read_text() == "a,b\n"
