"""What came out of a bundle is covered, and what it left out is not missed."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from samerun.base.digest import sha256
from samerun.errors import DamageError
from samerun.judge.brought import brought_files, check_brought, check_last
from samerun.record import layout
from samerun.record.bundle.marker import Marker, write_marker
from samerun.record.manifest import Status, write_manifest
from samerun.record.reader import RunRecord


@pytest.fixture
def run(record: Any) -> RunRecord:
    """A completed run whose last checkpoint is not there."""
    made: RunRecord = record(steps=4)
    write_manifest(made.folder, replace(made.manifest, status=Status.COMPLETED, step=4, state_digest="xxh3:0"))
    shutil.rmtree(made.folder / layout.CHECKPOINTS, ignore_errors=True)
    return RunRecord.open(made.folder)


def bring(folder: Path, name: str, data: bytes) -> None:
    (folder / layout.UNPACKED_DATA).mkdir(exist_ok=True)
    (folder / layout.UNPACKED_DATA / name).write_bytes(data)


def test_a_run_that_was_made_here_brought_nothing(run: RunRecord) -> None:
    check_brought(run.folder)
    assert brought_files(run.folder) == []


def test_data_that_did_not_come_along_are_found(run: RunRecord) -> None:
    bring(run.folder, "rows.csv", b"1")
    write_marker(run.folder, Marker("sha256:0", (), {"rows.csv": sha256(b"1")}))
    check_brought(run.folder)
    bring(run.folder, "extra.csv", b"1")
    with pytest.raises(DamageError, match="did not come with the bundle"):
        check_brought(run.folder)


def test_only_the_checkpoint_that_was_left_out_may_be_missing(run: RunRecord) -> None:
    for without in ((), (3,)):
        write_marker(run.folder, Marker("sha256:0", without))
        with pytest.raises(DamageError, match="SR-RECORD-025"):
            check_last(run)
    write_marker(run.folder, Marker("sha256:0", (4,)))
    check_last(run)
