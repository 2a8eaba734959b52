"""What can go, and what never goes."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from samerun.base.lock import RunLock, owner_facts
from samerun.checkpoint.store import digested_steps, list_steps
from samerun.checkpoint.write import write_checkpoint
from samerun.record import layout
from samerun.record.gc import UNBEGUN_SECONDS, gc
from samerun.record.manifest import Entry, Manifest, Status, write_manifest
from samerun.record.marks import Marks, write_marks
from samerun.record.resolved import ResolvedConfig, write_config
from samerun.state.tree import pack

NOW = "2026-01-01T00:00:00Z"
MANIFEST = Manifest("tiny", "0123abcd" * 2, "0123abcd" * 2, Entry("recipe"), NOW, NOW, Status.STOPPED, 9)


@pytest.fixture
def dead() -> int:
    """The id of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny-0123abcd"
    folder.mkdir()
    write_config(folder, ResolvedConfig({"checkpoint": {"keep": 3}}, {}, {}, "sha256:0"), None)
    write_manifest(folder, replace(MANIFEST, best={"step": 3}))
    for step in range(7):
        packed = {"model": pack({"weight": np.arange(4.0) + step})}
        write_checkpoint(folder / layout.CHECKPOINTS, step, packed, identity=MANIFEST.identity)
    return folder


def test_nothing_goes_unless_told(run: Path) -> None:
    collected = gc(run.parent, keep=1)
    assert [one.path.name for one in collected.found] == [f"step-0000000{step}" for step in (1, 2, 4, 5)]
    assert collected.size_bytes > 0 and not collected.is_deleted
    assert len(list_steps(run / layout.CHECKPOINTS)) == 7


def test_the_first_best_pinned_and_newest_stay_and_the_others_leave_their_digests(run: Path) -> None:
    write_marks(run, Marks().with_pin(4))
    gc(run.parent, keep=1, delete=True)
    assert list_steps(run / layout.CHECKPOINTS) == [0, 3, 4, 6]
    assert digested_steps(run / layout.CHECKPOINTS) == list(range(7))
    assert gc(run.parent, keep=1).found == ()


def test_without_a_number_the_runs_own_retention_decides(run: Path) -> None:
    steps = [one.path.name for one in gc(run.parent).found]
    assert set(steps) <= {"step-00000001", "step-00000002"}


def test_a_live_run_is_left_alone_and_named(run: Path) -> None:
    lock = RunLock(run / layout.LOCK)
    lock.acquire(owner_facts())
    try:
        collected = gc(run.parent, keep=1, delete=True)
    finally:
        lock.release()
    assert collected.found == ()
    assert collected.skipped == ("tiny-0123abcd: it is live",)
    assert len(list_steps(run / layout.CHECKPOINTS)) == 7


def test_a_damaged_run_is_left_alone_and_named(run: Path) -> None:
    (run / layout.MANIFEST).write_bytes(b"{}")
    collected = gc(run.parent, keep=1, delete=True)
    assert len(list_steps(run / layout.CHECKPOINTS)) == 7
    assert collected.skipped[0].startswith("tiny-0123abcd: ")


def test_what_a_killed_process_left_behind_goes(run: Path, dead: int) -> None:
    beside = run.parent / f".verify.{dead}-0.tmp"
    inside = run / layout.CHECKPOINTS / f".step-00000007.{dead}-3.tmp"
    for folder in (beside, inside):
        folder.mkdir()
        (folder / "half").write_bytes(b"x" * 10)
    gc(run.parent, delete=True)
    assert not beside.exists() and not inside.exists()


def test_what_a_living_process_is_working_on_stays(run: Path) -> None:
    beside = run.parent / f".verify.{os.getpid()}-0.tmp"
    beside.mkdir()
    assert gc(run.parent, delete=True).found == () or beside.exists()
    assert beside.exists()


def test_a_folder_that_never_became_a_run_goes_once_it_is_old(tmp_path: Path) -> None:
    folder = tmp_path / "tiny-0123abcd"
    folder.mkdir()
    assert gc(tmp_path).found == ()
    old = folder.stat().st_mtime - UNBEGUN_SECONDS - 1
    os.utime(folder, (old, old))
    assert [one.kind for one in gc(tmp_path).found] == ["unbegun"]
    gc(tmp_path, delete=True)
    assert not folder.exists()


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert gc(tmp_path / "gone", delete=True).found == ()
