"""Logs that are never cut: what happened to a run's processes, and which hooks were done. A resume goes on at the end.

The metrics and the trail, which a resume cuts back to its checkpoint, are opened by session.py.
"""

from __future__ import annotations

from pathlib import Path

from samerun.record.layout import log_parts
from samerun.record.rows import RowLog, end_mark


def open_history(folder: Path, name: str, attempt: int) -> RowLog:
    """Open a log behind its last whole row (a torn line moves to `attempts/`), or at its beginning if it is new."""
    at = end_mark(folder, name) if log_parts(folder, name) else None
    return RowLog.open(folder, name, at, attempt)
