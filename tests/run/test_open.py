"""Opening a run: its folder, its lock, a live run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from samerun.errors import DamageError, LockedError
from samerun.record import layout
from samerun.record.reader import RunRecord
from samerun.run.launch import opened_folders
from samerun.run.run import Run

Start = Callable[..., Run]
Train = Callable[..., RunRecord]

HOLD = """
import sys
from pathlib import Path
from samerun.base.lock import RunLock, owner_facts
lock = RunLock(Path(sys.argv[1]))
lock.acquire(owner_facts())
print("held", flush=True)
sys.stdin.read()
"""


def test_a_run_held_by_another_process_is_refused_until_that_process_is_gone(train: Train, start: Start) -> None:
    record = train(1)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(record.folder / layout.LOCK)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with pytest.raises(LockedError) as caught:
            start()
        assert str(holder.pid) in str(caught.value)
        holder.kill()
    assert train(2).manifest.attempt == 2


def test_a_refused_start_counts_no_attempt(start: Start) -> None:
    with start() as run:
        with pytest.raises(LockedError):
            start()
        list(run.steps(1))
    assert RunRecord.open(run.folder).manifest.attempt == 1


def test_a_folder_that_lost_its_manifest_is_not_begun_over(train: Train, start: Start) -> None:
    record = train(2)
    (record.folder / layout.MANIFEST).unlink()
    before = sorted(path.name for path in record.folder.rglob("*"))
    with pytest.raises(DamageError) as caught:
        start()
    assert caught.value.code in ("SR-RUN-019", "SR-RECORD-022")
    assert sorted(path.name for path in record.folder.rglob("*")) == before


def test_checkpoints_alone_are_no_run_to_begin_over(train: Train, start: Start) -> None:
    record = train(2)
    for path in record.folder.iterdir():
        if path.name != layout.CHECKPOINTS and path.is_file():
            path.unlink()
    with pytest.raises(DamageError, match="SR-RUN-019"):
        start()
    assert (record.folder / layout.CHECKPOINTS / "step-00000002").is_dir()


def test_an_opening_that_fails_gives_the_lock_back(train: Train, start: Start) -> None:
    record = train(1)
    manifest = (record.folder / layout.MANIFEST).read_bytes()
    (record.folder / layout.MANIFEST).write_bytes(b"{}")
    with pytest.raises(DamageError):
        start(options={"run_folder": record.folder})
    (record.folder / layout.MANIFEST).write_bytes(manifest)
    assert train(2).manifest.attempt == 2


def test_what_this_process_opened_is_known_to_its_command(start: Start, tmp_path: Path) -> None:
    with start() as run:
        assert opened_folders()[-1] == run.folder


def test_the_identity_of_a_resumed_run_is_the_recorded_one(train: Train, start: Start, tmp_path: Path) -> None:
    data = tmp_path / "data.txt"
    data.write_text("1")
    with start() as run:
        run.input(data)
        list(run.steps(1))
    with start() as again:
        assert again.identity == run.identity and again.resumed
