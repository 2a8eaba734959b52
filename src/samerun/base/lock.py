"""Locks between processes: one writer of a run folder, and many readers of a checkpoint that retention must spare.

The system drops both kinds when their owner dies, however it dies. The owner's facts stand in a file beside the lock,
only so that a refusal can name them.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from samerun.base.canon import canonical_bytes, parse_json
from samerun.base.clock import utc_now
from samerun.base.files import explained, make_dir, remove, replace
from samerun.errors import DamageError, LockedError

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def owner_facts() -> dict[str, Any]:
    """Return what a refusal says about this process: pid, host, boot id and the time now."""
    boot = "unknown"
    with suppress(OSError):
        boot = _BOOT_ID.read_text(encoding="ascii").strip()
    return {"pid": os.getpid(), "host": os.uname().nodename, "boot": boot, "since": utc_now()}


class RunLock:
    """The one writer of a run folder; `path` is the lock file, which stays when the lock is released.

    Forked children do not hold it, and a dead owner's lock is free.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._owner_path = path.with_name(path.name + ".owner")
        # Imported here: light verbs only ask whether somebody reads a folder.
        from filelock import FileLock

        # The thread that releases may be another one than the thread that acquired.
        self._lock = FileLock(path, timeout=0, thread_local=False)

    @property
    def is_held(self) -> bool:
        """Whether this object holds the lock."""
        return self._lock.is_locked

    def acquire(self, owner: Mapping[str, Any]) -> None:
        """Take the lock at once or raise LockedError (SR-LOCK-001) that names the owner (`owner_facts`)."""
        if self.is_held:
            raise self._refusal()
        from filelock import Timeout

        make_dir(self.path.parent)
        try:
            with explained(self.path):
                self._lock.acquire()
        except Timeout:
            raise self._refusal() from None
        try:
            replace(self._owner_path, canonical_bytes(dict(owner)) + b"\n")
        except BaseException:
            self._lock.release()
            raise

    def release(self) -> None:
        """Give the lock back; does nothing when it is not held."""
        if self.is_held:
            with suppress(OSError):
                remove(self._owner_path)
            self._lock.release()

    def owner(self) -> dict[str, Any] | None:
        """Return the facts of the last owner, or None; they are a hint, the lock itself decides."""
        try:
            facts = parse_json(self._owner_path.read_bytes(), self._owner_path.as_posix())
        except (OSError, DamageError):
            return None
        return facts if isinstance(facts, dict) else None

    def _refusal(self) -> LockedError:
        facts = self.owner() or {}
        named = ", ".join(f"{key} {facts[key]}" for key in ("pid", "host", "boot", "since") if key in facts)
        return LockedError(
            "SR-LOCK-001",
            f"{self.path.parent.as_posix()} is in use by another process",
            evidence=[f"owner: {named or 'unknown'}"],
            do="wait for it, stop it (SIGTERM leaves a checkpoint), or begin another run: samerun train RECIPE --new",
        )


@contextmanager
def shared_lock(path: Path) -> Iterator[None]:
    """Read a file or folder under a lock that many readers share and `exclusive_lock` respects. Waits for a deleter."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_SH)
        yield
    finally:
        _unlock(fd)


@contextmanager
def exclusive_lock(path: Path) -> Iterator[bool]:
    """Try to lock a file or folder against readers; yields False at once when somebody reads it."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        _unlock(fd)


def _unlock(fd: int) -> None:
    # Closing is not enough: a child forked meanwhile holds a copy of this descriptor, and with it the lock.
    with suppress(OSError):
        fcntl.flock(fd, fcntl.LOCK_UN)
    os.close(fd)


def is_locked_shared(path: Path) -> bool:
    """Whether somebody holds a `shared_lock` on it now. To delete, hold `exclusive_lock` meanwhile instead."""
    with exclusive_lock(path) as is_free:
        return not is_free
