"""Append-only logs of JSON rows: writing, and reading as dicts. Each row carries a sum chained to the row before.

Rows reach the operating system at once, the disk at a checkpoint. A log is opened at a stored position; what lies
beyond it moves to `attempts/`. The chain is in rowchain.py, the cut in rowcut.py.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Self

from samerun.base import files
from samerun.base.canon import canonical_bytes
from samerun.record import layout
from samerun.record.rowchain import LogMark, chained, start_mark, walk_rows
from samerun.record.rowcut import cut_to

__all__ = ["PART_LIMIT", "LogMark", "RowLog", "end_mark", "iter_rows", "start_mark"]

PART_LIMIT: Final = 64 * 1024 * 1024
"""Bytes after which a log goes on in its next part."""


class RowLog:
    """The writing end of one log."""

    def __init__(self, folder: Path, name: str, mark: LogMark, part_limit: int) -> None:
        """Use `RowLog.open`; this takes a log that already ends at `mark`."""
        self._folder = folder
        self._name = name
        self._mark = mark
        self._part_limit = part_limit
        self._appender: files.Appender | None = files.Appender(self._path(mark.part))

    @classmethod
    def open(cls, folder: Path, name: str, at: LogMark | None, attempt: int, *, part_limit: int = PART_LIMIT) -> Self:
        """Open a log for appending right after `at` (None: at its beginning).

        The rows up to `at` are verified. What lies beyond moves to attempts/<attempt>/, torn line included. Raises
        DamageError SR-RECORD-013 for a log shorter than `at`, SR-RECORD-010 to -014 for broken rows before it.
        """
        mark = at or start_mark(name)
        cut_to(folder, name, mark, attempt, is_new=at is None)
        return cls(folder, name, mark, part_limit)

    def append(self, row: dict[str, Any]) -> None:
        """Write one row (text keys, JSON values, at least one key, none called "sum") and flush it.

        Raises TypeError or ValueError for a row that cannot be written, MissingError on a full or read-only disk; the
        log then still ends after the row before.
        """
        if not row or "sum" in row:
            raise ValueError(f"{self._name}: a row needs at least one key, and none may be 'sum'")
        appender = self._live()
        body = canonical_bytes(row)
        line, digest = chained(self._mark, body)
        if self._mark.bytes and self._mark.bytes + len(line) > self._part_limit:
            appender = self._next_part(appender)
        appender.append(line)
        mark = self._mark
        self._mark = LogMark(mark.bytes + len(line), mark.rows + 1, digest, mark.part)

    @property
    def name(self) -> str:
        """Name of the log: `metrics`, `trail`, `events`."""
        return self._name

    def mark(self) -> LogMark:
        """Give the position after the last row; `open` finds it again also when rows and parts follow."""
        return self._mark

    def sync(self) -> None:
        """Bring every row so far to the disk (earlier parts were brought there when they were left)."""
        self._live().sync()

    def close(self) -> None:
        """Sync and close; a second call does nothing."""
        if self._appender is not None:
            self._appender.sync()
            self._appender.close()
            self._appender = None

    def _next_part(self, full: files.Appender) -> files.Appender:
        full.sync()
        following = files.Appender(self._path(self._mark.part + 1))
        full.close()
        self._appender = following
        self._mark = LogMark(0, self._mark.rows, self._mark.sum, self._mark.part + 1)
        return following

    def _live(self) -> files.Appender:
        if self._appender is None:
            raise ValueError(f"{self._name}: the log is closed")
        return self._appender

    def _path(self, part: int) -> Path:
        return self._folder / layout.log_part_name(self._name, part)


def iter_rows(folder: Path, name: str, *, until: LogMark | None = None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a log in order, without their sums, verifying each; also while the log is being written.

    A last line without its newline is left out. With `until`, stops there, and a log that does not reach it is damage.
    Non-finite numbers are the texts "NaN", "Infinity", "-Infinity". Raises DamageError SR-RECORD-010 to -014.
    """
    for _, body in walk_rows(folder, name, until=until):
        row = json.loads(body)
        assert isinstance(row, dict)
        yield row


def end_mark(folder: Path, name: str) -> LogMark:
    """Find the position after the last whole row, verifying every row before it."""
    end = start_mark(name)
    for after, _ in walk_rows(folder, name):
        end = after
    return end
