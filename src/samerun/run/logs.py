"""The logs of a live run: metrics and trail, which a resume cuts back to its checkpoint, and events, which it does not.

Row shapes and files belong to record/; whether a row is due is settle.py's work.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from samerun.config.problems import printable
from samerun.record import layout
from samerun.record.events import event_row
from samerun.record.rowchain import walk_rows
from samerun.record.rows import LogMark, RowLog, end_mark
from samerun.run.history import open_history


class Logs:
    """The open logs of one process; events are open from the start, the other two from the first step."""

    def __init__(self, folder: Path, attempt: int) -> None:
        self._folder = folder
        self._attempt = attempt
        self._events = open_history(folder, layout.EVENTS, attempt)
        self._rows: tuple[RowLog, RowLog] | None = None
        self._is_closed = False

    @property
    def is_begun(self) -> bool:
        """Whether metrics and trail are open: this process came to its first step."""
        return self._rows is not None

    def begin(self, marks: Mapping[str, Any] | None) -> None:
        """Open metrics and trail at the positions that a checkpoint stored, or at their beginning."""
        where = f"{self._folder.name}: checkpoint"
        at = {name: None if marks is None else LogMark.from_json(marks[name], where) for name in layout.LOGS}
        for _ in walk_rows(self._folder, layout.EVENTS, until=at[layout.EVENTS]):
            pass  # events are not cut, but a log shorter than it was at the checkpoint is damage
        metrics, trail = (
            RowLog.open(self._folder, name, at[name], self._attempt) for name in (layout.METRICS, layout.TRAIL)
        )
        self._rows = metrics, trail

    def write(self, metrics_row: dict[str, Any], trail_row: dict[str, Any]) -> None:
        """Append the two rows of one step; they reach the operating system before this returns."""
        assert self._rows is not None
        metrics, trail = self._rows
        metrics.append(metrics_row)
        trail.append(trail_row)

    def event(self, kind: str, **facts: Any) -> None:
        """Record something that happened to this process rather than to the run's numbers.

        What happens after the logs were closed (to a loader that outlives its run) is none of the run's.
        """
        if not self._is_closed:
            self._events.append(event_row(kind, attempt=self._attempt, **_printable(facts)))

    def sync(self) -> dict[str, Any]:
        """Bring every row to the disk and return the position of each log, as a checkpoint stores it."""
        for log in self._open():
            log.sync()
        return {log.name: log.mark().as_json() for log in self._open()}

    def close(self) -> dict[str, LogMark]:
        """Close all logs; return where each ends (nothing for a run that never came to its first step)."""
        self._is_closed = True
        for log in self._open():
            log.close()
        if self._rows is None:
            return {}
        marks = {log.name: log.mark() for log in self._open()}
        if layout.log_parts(self._folder, layout.HOOKS_DONE):
            marks[layout.HOOKS_DONE] = end_mark(self._folder, layout.HOOKS_DONE)
        return marks

    def _open(self) -> tuple[RowLog, ...]:
        return (self._events,) if self._rows is None else (*self._rows, self._events)


def _printable(value: Any) -> Any:
    """Write out halves of surrogate pairs: a file name or a message of an exception may hold some, JSON may not."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {_printable(key): _printable(item) for key, item in value.items()}
    return [_printable(item) for item in value] if isinstance(value, (list, tuple)) else value
