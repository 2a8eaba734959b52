"""How far a run is that no process has closed."""

from __future__ import annotations

from pathlib import Path

import pytest

from samerun.base.lock import RunLock, owner_facts
from samerun.record import layout
from samerun.record.manifest import Entry, Manifest, Status, write_manifest
from samerun.record.metrics import metrics_row
from samerun.record.progress import progress_of
from samerun.record.reader import RunRecord
from samerun.record.rows import RowLog


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run of seven rows and checkpoints at 0 and 4 whose manifest knows of none."""
    write_manifest(tmp_path, Manifest("tiny", "", "", Entry("recipe"), "", "", status=Status.RUNNING))
    for step in (0, 4):
        (tmp_path / layout.CHECKPOINTS / f"step-{step:08d}").mkdir(parents=True)
    log = RowLog.open(tmp_path, layout.METRICS, None, 1)
    for step in range(7):
        log.append(metrics_row(step, None, {"train/loss": 1.0 / (step + 1), "time/step": 0.1}))
    log.close()
    return tmp_path


def test_a_killed_run_is_where_its_newest_checkpoint_is(folder: Path) -> None:
    progress = progress_of(RunRecord.open(folder))
    assert (progress.step, dict(progress.metrics)) == (4, {})


def test_a_live_run_is_where_its_newest_whole_row_is(folder: Path) -> None:
    with (folder / layout.log_part_name(layout.METRICS, 0)).open("ab") as log:
        log.write(b'{"step":7,"train/l')
    lock = RunLock(folder / layout.LOCK)
    lock.acquire(owner_facts())
    progress = progress_of(RunRecord.open(folder))
    lock.release()
    assert (progress.step, dict(progress.metrics)) == (7, {"train/loss": 1.0 / 7})


def test_a_settled_run_is_where_its_manifest_says(folder: Path) -> None:
    write_manifest(folder, Manifest("tiny", "", "", Entry("recipe"), "", "", status=Status.FAILED, step=3))
    assert progress_of(RunRecord.open(folder)).step == 3


def test_rows_beyond_the_newest_checkpoint_of_a_run_that_nobody_writes_are_counted(folder: Path) -> None:
    assert progress_of(RunRecord.open(folder)).rows_beyond == 3
    for status, rows in ((Status.FAILED, 3), (Status.INTERRUPTED, 3), (Status.COMPLETED, 0)):
        write_manifest(folder, Manifest("tiny", "", "", Entry("recipe"), "", "", status=status, step=7))
        assert progress_of(RunRecord.open(folder)).rows_beyond == rows
    lock = RunLock(folder / layout.LOCK)
    lock.acquire(owner_facts())
    write_manifest(folder, Manifest("tiny", "", "", Entry("recipe"), "", "", status=Status.RUNNING))
    assert progress_of(RunRecord.open(folder)).rows_beyond == 0
    lock.release()
