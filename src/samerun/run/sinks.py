"""Where progress goes while a run is alive: a progress bar on a terminal, a plain line every 30 seconds elsewhere.

A sink only watches. One that fails is closed and recorded as an event; it never stops or changes a run.
The rows themselves are written by record/, not here.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol, TextIO

from samerun.base import clock
from samerun.base.text import human_seconds
from samerun.record.metrics import is_clock

PLAIN_SECONDS = 30.0
BAR_SECONDS = 0.1


class Sink(Protocol):
    """Takes each settled row. `row` is the metrics row without its sum."""

    def row(self, completed: int, target: int | None, row: Mapping[str, Any]) -> None: ...

    def close(self) -> None: ...


class PlainSink:
    """One line every 30 seconds: step, the newest numbers, steps a second, time left."""

    def __init__(self, name: str, stream: TextIO) -> None:
        self._name = name
        self._stream = stream
        self._started = self._printed = clock.monotonic()
        self._first: int | None = None

    def row(self, completed: int, target: int | None, row: Mapping[str, Any]) -> None:
        now = clock.monotonic()
        if self._first is None:
            self._first = completed - 1
        if now - self._printed < PLAIN_SECONDS:
            return
        self._printed = now
        rate = (completed - self._first) / (now - self._started)
        of = "" if target is None else f"/{target}"
        left = "" if target is None else f"  {human_seconds((target - completed) / rate)} left"
        numbers = "  ".join(_shown(row))
        self._stream.write(f"{self._name}: step {completed}{of}  {numbers}  {rate:.1f} steps/s{left}\n")
        self._stream.flush()

    def close(self) -> None:
        """Nothing is held open."""


class BarSink:
    """A rich progress bar with the time left; made when the first row arrives, so light runs do not load rich."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._bar: Any = None
        self._task: Any = None
        self._drawn = 0.0

    def row(self, completed: int, target: int | None, row: Mapping[str, Any]) -> None:
        now = clock.monotonic()
        if now - self._drawn < BAR_SECONDS and completed != target:
            return
        self._drawn = now
        if self._bar is None:
            self._open(target)
        self._bar.update(self._task, completed=completed, total=target, numbers="  ".join(_shown(row)))

    def _open(self, target: int | None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[numbers]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        self._task = self._bar.add_task(self._name, total=target, numbers="")
        self._bar.start()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()


class Sinks:
    """All sinks of a run; one that fails is taken off."""

    def __init__(self, sinks: Sequence[Sink]) -> None:
        self._sinks = list(sinks)

    def tell(self, completed: int, target: int | None, row: Mapping[str, Any]) -> list[dict[str, str]]:
        """Hand a settled row to each sink; return the name and error of those that failed and are off now."""
        failed = []
        for sink in tuple(self._sinks):
            try:
                sink.row(completed, target, row)
            except Exception as error:  # noqa: BLE001 - a sink that fails never stops a run (DESIGN 10)
                self._sinks.remove(sink)
                failed.append({"sink": type(sink).__name__, "error": repr(error)})
                with suppress(Exception):
                    sink.close()
        return failed

    def close(self) -> None:
        """Close what is still on; a sink that fails here has nothing more to lose."""
        for sink in self._sinks:
            with suppress(Exception):
                sink.close()


def console_sink(name: str) -> Sink:
    """Choose the sink for this standard error."""
    return BarSink(name) if sys.stderr.isatty() else PlainSink(name, sys.stderr)


def _shown(row: Mapping[str, Any]) -> list[str]:
    """The first few numbers a person wants to see, in row order."""
    numbers = [(name, value) for name, value in row.items() if isinstance(value, float) and not is_clock(name)]
    return [f"{name.removeprefix('train/')} {value:.4g}" for name, value in numbers[:4]]
