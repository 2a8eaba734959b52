"""Sessions of worker processes, opened through one nursery (nursery.py), which a training process starts at need."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from samerun.base import interpreter
from samerun.data import wire
from samerun.errors import MissingError

_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


class Nursery:
    """The process that workers are forked from, seen from the training process."""

    def __init__(self) -> None:
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.owner = os.getpid()
        self._lock = threading.Lock()
        with theirs:
            try:
                self._process = _start_nursery(theirs.fileno())
            except BaseException:
                self.control.close()
                raise
        self.ender = weakref.finalize(self, _end_nursery, self.control, self._process)

    def ask(self, verb: str, value: int = 0, files: Sequence[int] = ()) -> int:
        """Ask for something and return the answer. Raises OSError or EOFError when the nursery is gone."""
        with self._lock:
            try:
                wire.send(self.control, (verb, value))
                if files:
                    socket.send_fds(self.control, [b"files"], list(files))
                return int(wire.receive(self.control))
            except BaseException:
                # Also an interrupt: half a question was put, or its answer is still to come. Nobody asks here again.
                self.ender()
                raise


def _start_nursery(channel: int) -> subprocess.Popen[bytes]:
    imports = [name for name in ("numpy", "torch") if name in sys.modules]
    return subprocess.Popen(
        interpreter.command("samerun.data.nursery", str(channel), *imports),
        stdin=subprocess.DEVNULL,
        pass_fds=[channel],
        env={**os.environ, **_ONE_THREAD, "PYTHONPATH": interpreter.import_path()},
        start_new_session=True,
    )


def _end_nursery(control: socket.socket, process: subprocess.Popen[bytes]) -> None:
    control.close()
    process.wait()


_nursery: Nursery | None = None


def nursery() -> Nursery:
    """Return this process's nursery, starting it at first need (or anew, when the old one is gone)."""
    global _nursery
    if _nursery is not None and _nursery.owner != os.getpid():
        # A fork of the training process has its parent's channel: it must not speak on it.
        _nursery.ender.detach()
        _nursery = None
    if _nursery is None or not _nursery.ender.alive:
        _nursery = Nursery()
    return _nursery


class Session:
    """One generation of workers, all in one session of their own."""

    def __init__(self, fetcher: wire.Parcel, setup: dict[str, Any], num_workers: int) -> None:
        pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(num_workers + 1)]
        life, self._life = os.pipe()
        self.status, *self.channels = (pair[0] for pair in pairs)
        status, *theirs = (pair[1] for pair in pairs)
        files = [status.fileno(), life, *(end.fileno() for end in theirs)]
        try:
            self.leader = _open(files)
        except BaseException:
            self._close_ours()
            raise
        finally:
            for end in (status, *theirs):
                end.close()
            os.close(life)
        self._is_ready = False
        # Who is gone already is noticed when the first answer is due.
        with suppress(OSError):
            wire.send(self.status, setup)
            for channel in self.channels:
                fetcher.send(channel)

    def wait_until_ready(self) -> str | None:
        """Wait until the workers have started; return what went wrong in words. Raises EOFError when they died."""
        if not self._is_ready:
            kind, text = wire.receive(self.status)
            if kind == "failed":
                return str(text)
            self._is_ready = True
        return None

    def last_words(self) -> list[str]:
        """Return how workers ended, as far as it is known."""
        words = []
        self.status.settimeout(0.5)
        with suppress(OSError, EOFError):
            while True:
                kind, text = wire.receive(self.status)
                if kind == "ended":
                    words.append(str(text))
                self.status.settimeout(0.05)
        return words

    def end(self, *, at_once: bool = False) -> None:
        """End all of them: by closing their channels, or at once by a signal to their session."""
        self._close_ours()
        if _nursery is None or _nursery.owner != os.getpid() or not _nursery.ender.alive:
            return
        # Without a nursery they still end: their channels and their life line are closed.
        with suppress(OSError, EOFError):
            _nursery.ask("kill" if at_once else "wait", self.leader)

    def _close_ours(self) -> None:
        for channel in (self.status, *self.channels):
            channel.close()
        os.close(self._life)


def _open(files: Sequence[int]) -> int:
    try:
        return nursery().ask("open", files=files)
    except (OSError, EOFError):
        # It is gone, for whatever reason: once more with a new one.
        pass
    try:
        return nursery().ask("open", files=files)
    except (OSError, EOFError) as error:
        raise MissingError(
            "SR-DATA-019",
            "loader workers cannot be started",
            evidence=[str(error) or "the process that forks them ended at once; its message is on stderr"],
            do="look at the limits on processes, memory and open files (ulimit -a), or set num_workers=0",
        ) from error
