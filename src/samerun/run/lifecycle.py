"""Stopping: signals, `run.stop()` and time limits become one question that the loop asks at each step boundary.

The first SIGTERM, SIGINT, SIGUSR1 or SIGUSR2 asks for a stop; a second one aborts with exit code 130. Signals are read
by a thread from the wake-up pipe that the C-level handler writes to, so the second one works while Python is busy in C.
Outside the main thread no handler is installed, and `run.stop()` remains.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from samerun.base import clock
from samerun.errors import ExitCode

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2)
_QUIT = b"\x00"


def _ignore(signum: int, frame: FrameType | None) -> None:
    """Keep Python's default action (a KeyboardInterrupt in mid-step) from happening; the pipe tells the watcher."""


class StopSwitch:
    """Why the run should stop, if it should: a reason in words, set once from any thread, signal or limit."""

    def __init__(self, *, stop_after: int | None = None, limit_seconds: float | None = None) -> None:
        self.reason: str | None = None
        self.slowest_save_seconds = 0.0
        self._slowest_step_seconds = 0.0
        self._stop_after = stop_after
        self._deadline = None if limit_seconds is None else clock.monotonic() + limit_seconds

    def request(self, reason: str) -> None:
        """Ask for a stop at the next step boundary; the first reason stands."""
        if self.reason is None:
            self.reason = reason

    def note_step(self, seconds: float, completed: int) -> None:
        """Take the time of a step; ask for a stop when another one and a save may no longer fit, or enough are done."""
        if self._stop_after is not None and completed >= self._stop_after:
            self.request(f"stop after step {self._stop_after}")
        self._slowest_step_seconds = max(self._slowest_step_seconds, seconds)
        if self._deadline is None or self.reason is not None:
            return
        if clock.monotonic() + 1.2 * self._slowest_step_seconds + 2.0 * self.slowest_save_seconds > self._deadline:
            self.request("time limit")


def limit_from(asked_seconds: float | None, scheduler_end: str | None) -> float | None:
    """Combine `--time-limit` with the end that a batch scheduler exports (Unix seconds as text): seconds from now."""
    limits = [] if asked_seconds is None else [asked_seconds]
    if scheduler_end is not None and scheduler_end.isdigit():
        limits.append(float(scheduler_end) - clock.wall())
    return min(limits, default=None)


class SignalWatch:
    """Turns signals into `StopSwitch.request`, and a second one into an immediate end of the process."""

    def __init__(self, switch: StopSwitch, on_abort: Callable[[], None]) -> None:
        self._switch = switch
        self._on_abort = on_abort
        self._previous: dict[signal.Signals, Any] = {}
        self._previous_fd = -1
        self._pipe: tuple[int, int] | None = None
        self._thread: threading.Thread | None = None

    def install(self) -> bool:
        """Install the handlers; `False` (and nothing changed) outside the main thread."""
        if threading.current_thread() is not threading.main_thread():
            return False
        read_fd, write_fd = os.pipe()
        os.set_blocking(write_fd, False)
        thread = threading.Thread(target=self._watch, args=(read_fd,), name="samerun-signals", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            # The system starts no further thread: no signal may then lose its old handler.
            os.close(read_fd)
            os.close(write_fd)
            raise
        self._pipe, self._thread = (read_fd, write_fd), thread
        self._previous_fd = signal.set_wakeup_fd(write_fd, warn_on_full_buffer=False)
        self._previous = {number: signal.signal(number, _ignore) for number in STOP_SIGNALS}
        return True

    def uninstall(self) -> None:
        """Put back what was there before; safe to call twice."""
        if self._pipe is None or self._thread is None:
            return
        for number, handler in self._previous.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
        signal.set_wakeup_fd(self._previous_fd)
        read_fd, write_fd = self._pipe
        os.write(write_fd, _QUIT)
        self._thread.join()
        os.close(read_fd)
        os.close(write_fd)
        self._pipe = None

    def _watch(self, read_fd: int) -> None:
        seen = 0
        while True:
            for byte in os.read(read_fd, 64):
                if bytes([byte]) == _QUIT:
                    return
                if byte not in STOP_SIGNALS:
                    continue
                seen += 1
                self._switch.request(signal.Signals(byte).name)
                if seen > 1:
                    self._on_abort()
                    os._exit(int(ExitCode.ABORTED))
