"""The only reader of time. Nothing here may decide a number of a run: times are for people, cadences and leases.

Wall time can go backwards; whatever measures a span uses `monotonic`.
"""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime

from samerun.errors import UsageError

_UNIT_SECONDS = {"ms": 0.001, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_PIECE = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|sec|s|min|m|h|d)\s*")


def utc_now() -> str:
    """Return the wall time as ISO 8601 in UTC with milliseconds: `2026-11-29T12:00:00.123Z`."""
    return utc_text(time.time())


def utc_text(wall_seconds: float) -> str:
    """Return a wall time (seconds since 1970, as `wall` gives it) as ISO 8601 in UTC with milliseconds."""
    moment = datetime.fromtimestamp(wall_seconds, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def wall() -> float:
    """Return seconds since 1970; may jump, also backwards."""
    return time.time()


def monotonic() -> float:
    """Return seconds from an arbitrary start; never goes backwards."""
    return time.monotonic()


def sleep(seconds: float) -> None:
    """Wait; a signal handler may run meanwhile."""
    time.sleep(seconds)


def parse_duration(value: str | int | float) -> float:
    """Return seconds for `90`, `"90s"`, `"15min"`, `"2h"`, `"1h30m"`, `"1d"`; a bare number is seconds.

    Raises UsageError (SR-TIME-001) for anything else, a negative or zero span among them.
    """
    seconds: float | None = None
    if isinstance(value, bool):
        pass
    elif isinstance(value, (int, float)) or re.fullmatch(r"\d+(\.\d+)?", value.strip()):
        seconds = float(value)
    else:
        seconds = _sum_pieces(value.strip())
    if seconds is None or not 0 < seconds < float("inf"):
        raise UsageError(
            "SR-TIME-001",
            f"{value!r} is not a span of time",
            evidence=["units: ms, s, m or min, h, d; several may follow each other"],
            do='write it like "90s", "15min", "1h30m", or as a number of seconds',
        )
    return seconds


def _sum_pieces(text: str) -> float | None:
    total, at = 0.0, 0
    for piece in _PIECE.finditer(text):
        if piece.start() != at:
            return None
        total += float(piece[1]) * _UNIT_SECONDS[piece[2]]
        at = piece.end()
    return total if at == len(text) and at else None
