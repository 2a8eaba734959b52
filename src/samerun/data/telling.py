"""What is said while files are read, and of what was left out. Nothing is printed here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from samerun.base import clock
from samerun.base.text import human_bytes, human_seconds, plural, shown
from samerun.data.entry import LeftOut
from samerun.data.reading import Progress, Reporting

FIRST_SECONDS: Final = 2.0
EVERY_SECONDS: Final = 5.0
"""When progress is told first, and how often then."""


def telling(say: Callable[[str], None]) -> Reporting:
    """Tell `say` how far the reading is: not at once, then now and again."""
    began = clock.monotonic()
    due = began + FIRST_SECONDS

    def progress(now: Progress) -> None:
        nonlocal due
        at = clock.monotonic()
        if at < due or not now.size_bytes or now.files == now.of_files:
            return
        due = at + EVERY_SECONDS
        left = (at - began) * (now.of_bytes / now.size_bytes - 1)
        say(
            f"read {now.files} of {plural(now.of_files, 'file')}, {human_bytes(now.size_bytes)} of "
            f"{human_bytes(now.of_bytes)}, about {human_seconds(max(left, 0.0))} left"
        )

    return Reporting(say, progress)


def left_out_lines(left_out: Sequence[LeftOut], limit: int | None = None) -> Iterator[str]:
    """Name what was left out with its reason, one a line, at most `limit`."""
    yield from (f"left out: {shown(one.id)}: {one.reason}" for one in left_out[:limit])
    if limit is not None and len(left_out) > limit:
        yield f"left out: and {len(left_out) - limit} more (-v shows them)"
