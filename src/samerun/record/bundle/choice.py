"""Which checkpoints go into a bundle: `last`, `best`, `all`, `none` or steps. A pure function of numbers."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from samerun.errors import NoMatchError, UsageError

DEFAULT: Final = "last,best"
WORDS: Final = ("last", "best", "all", "none")


def parse_checkpoints(text: str) -> tuple[str | int, ...]:
    """Read `last,best` or `0,40,last`. Raises UsageError SR-BUNDLE-001 for anything else."""
    parts = [part.strip() for part in text.split(",")]
    wanted = tuple(int(part) if part.isascii() and part.isdecimal() else part for part in parts)
    is_alone = len(wanted) > 1 and not {"all", "none"}.isdisjoint(wanted)
    if is_alone or any(isinstance(part, str) and part not in WORDS for part in wanted):
        raise UsageError(
            "SR-BUNDLE-001",
            f"--checkpoints {text!r} names no checkpoints",
            evidence=["wanted: last, best and steps, joined by commas; or all; or none"],
            do=f"--checkpoints {DEFAULT}",
        )
    return wanted


def choose(text: str, steps: Collection[int], best: int | None) -> tuple[int, ...]:
    """Return the steps that `text` means of those that there are, ascending.

    In the default a run without a best one has only the last. Raises NoMatchError SR-BUNDLE-002 for one that is asked
    for and is not there.
    """
    wanted = parse_checkpoints(text)
    if wanted == ("none",):
        return ()
    if wanted == ("all",):
        return tuple(sorted(steps))
    found: set[int] = set()
    for one in wanted:
        step = max(steps, default=None) if one == "last" else best if one == "best" else int(one)
        if step in steps and step is not None:
            found.add(step)
        elif text != DEFAULT:
            there = ", ".join(map(str, sorted(steps))) or "none"
            raise NoMatchError(
                "SR-BUNDLE-002",
                f"the run has no checkpoint {one!r}",
                evidence=[f"its checkpoints: {there}", f"its best: {'unknown' if best is None else best}"],
                do=f"--checkpoints {DEFAULT}, or none",
            )
    return tuple(sorted(found))
