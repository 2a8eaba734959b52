"""Locks: one writer that is named in the refusal, readers that retention spares, and nothing left by the dead."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from samerun.base.lock import RunLock, exclusive_lock, is_locked_shared, owner_facts, shared_lock
from samerun.errors import LockedError, MissingError

HOLD_RUN = """
import sys, os, time
from pathlib import Path
from samerun.base.lock import RunLock, owner_facts
lock = RunLock(Path(sys.argv[1]))
lock.acquire(owner_facts())
if sys.argv[2] == "fork" and os.fork():
    time.sleep(60)
print("held", flush=True)
time.sleep(60)
"""
HOLD_SHARED = """
import sys, time
from pathlib import Path
from samerun.base.lock import shared_lock
with shared_lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@contextmanager
def holder(script: str, path: Path, mode: str = "") -> Iterator[subprocess.Popen[str]]:
    child = subprocess.Popen(
        [sys.executable, "-c", script, str(path), mode], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == "held\n"
        yield child
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        child.stdout.close()


def test_a_second_process_is_refused_and_told_who_holds_the_lock(tmp_path: Path) -> None:
    with holder(HOLD_RUN, tmp_path / "lock") as child:
        with pytest.raises(LockedError) as caught:
            RunLock(tmp_path / "lock").acquire(owner_facts())
        assert caught.value.code == "SR-LOCK-001"
        facts = owner_facts()
        assert all(text in str(caught.value) for text in (f"pid {child.pid}", facts["host"], facts["boot"]))


def test_the_lock_of_a_killed_owner_is_free(tmp_path: Path) -> None:
    with holder(HOLD_RUN, tmp_path / "lock") as child:
        child.kill()
        child.wait()
        lock = RunLock(tmp_path / "lock")
        lock.acquire(owner_facts())
        assert lock.is_held
        lock.release()


def test_a_child_that_outlives_a_killed_owner_does_not_keep_the_lock(tmp_path: Path) -> None:
    with holder(HOLD_RUN, tmp_path / "lock", "fork") as child:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        lock = RunLock(tmp_path / "lock")
        lock.acquire(owner_facts())
        lock.release()


def test_two_locks_in_one_process_exclude_each_other(tmp_path: Path) -> None:
    first, second = RunLock(tmp_path / "lock"), RunLock(tmp_path / "lock")
    first.acquire(owner_facts())
    for lock in (first, second):
        with pytest.raises(LockedError):
            lock.acquire(owner_facts())
    first.release()
    first.release()
    second.acquire(owner_facts())
    assert second.is_held and not first.is_held
    second.release()


def test_a_read_only_folder_is_named_and_not_taken_for_a_lock(tiny_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(tiny_disk)], check=True)
    with pytest.raises(MissingError) as caught:
        RunLock(tiny_disk / "lock").acquire(owner_facts())
    assert caught.value.code == "SR-FILE-002"


def test_the_facts_of_the_owner_are_gone_after_the_release(tmp_path: Path) -> None:
    lock = RunLock(tmp_path / "lock")
    lock.acquire(owner_facts())
    owner = lock.owner()
    assert owner is not None and owner["pid"] == os.getpid()
    lock.release()
    assert lock.owner() is None


def test_unreadable_facts_of_an_owner_do_not_hide_the_refusal(tmp_path: Path) -> None:
    with holder(HOLD_RUN, tmp_path / "lock"):
        (tmp_path / "lock.owner").write_bytes(b"\xff{")
        with pytest.raises(LockedError, match="owner: unknown"):
            RunLock(tmp_path / "lock").acquire(owner_facts())


def test_a_reader_in_another_process_keeps_a_checkpoint_from_being_deleted(tmp_path: Path) -> None:
    folder = tmp_path / "step-00000001"
    folder.mkdir()
    assert not is_locked_shared(folder)
    with holder(HOLD_SHARED, folder):
        assert is_locked_shared(folder)
        with exclusive_lock(folder) as is_free:
            assert not is_free
        with shared_lock(folder):
            pass
    assert not is_locked_shared(folder)
    with exclusive_lock(folder) as is_free:
        assert is_free
        assert is_locked_shared(folder)


def test_a_reader_frees_its_lock_even_when_a_forked_child_lives_on(tmp_path: Path) -> None:
    script = """
import os, sys, time
from pathlib import Path
from samerun.base.lock import shared_lock
with shared_lock(Path(sys.argv[1])):
    if os.fork() == 0:
        time.sleep(60)
print("held", flush=True)
time.sleep(60)
"""
    with holder(script, tmp_path):
        assert not is_locked_shared(tmp_path)
