"""A chronological split: each split begins at a time, and every item is in the last one that has begun.

The times are chosen once, from the fractions; given again, they put new items to the old ones and move none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from samerun.errors import UsageError

Cuts = Mapping[str, str | None]
"""Split -> the time at which it begins, in order; None for the first."""


def choose_cuts(times: Sequence[str], fractions: Mapping[str, float]) -> dict[str, str | None]:
    """Return the times at which splits begin, so that each is about as large as its fraction.

    Items of one time are never parted; a split for which that leaves none is left out. Times are compared as numbers
    where all of them are, else as text.
    """
    order = order_of(times)
    ranked = sorted(times, key=order)
    cuts: dict[str, str | None] = {}
    share, last = 0.0, None
    for name, part in fractions.items():
        place = round(share * len(ranked))
        begin = ranked[place] if place < len(ranked) else None
        if not cuts:
            cuts[name] = None
        elif begin is not None and (last is None or order(last) < order(begin)):
            cuts[name] = last = begin
        share += part
    return cuts


def order_of(times: Sequence[str]) -> Order:
    """Return how such times are compared: as numbers where all are finite ones, else as text."""
    return Order(all(_number(time) is not None for time in times))


class Order:
    """Compares times."""

    def __init__(self, is_number: bool) -> None:
        self.is_number = is_number

    def __call__(self, time: str) -> tuple[float, str]:
        """Return what a time is sorted by. Raises UsageError SR-DATA-033 for a text among numbers."""
        number = _number(time) if self.is_number else 0.0
        if number is None:
            raise UsageError(
                "SR-DATA-033",
                f"{time!r} cannot be compared with the times at which splits begin",
                evidence=["they are numbers, and it is none"],
                do="give every item a number, or write the times at which splits begin as text",
            )
        return number, "" if self.is_number else time


def _number(time: str) -> float | None:
    try:
        number = float(time)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in time else None


def place_of(time: str, cuts: Cuts, order: Order) -> str:
    """Return the split that an item of this time is in."""
    found = next(iter(cuts))
    for name, begin in cuts.items():
        if begin is not None and order(begin) <= order(time):
            found = name
    return found


def check_cuts(cuts: Cuts) -> Order:
    """Return how the times of cuts are compared. Raises UsageError SR-DATA-033 where they do not rise."""
    begins = [begin for begin in cuts.values() if begin is not None]
    order = order_of(begins)
    is_rising = all(order(one) < order(other) for one, other in pairwise(begins))
    if len(begins) != len(cuts) - 1 or next(iter(cuts.values()), "") is not None or not is_rising:
        raise UsageError(
            "SR-DATA-033",
            "the times at which splits begin do not rise",
            evidence=[f"{name}: {'from the beginning' if begin is None else begin}" for name, begin in cuts.items()],
            do="--cuts train,val=2024-01-01,test=2024-06-01: the first has no time, each other a later one",
        )
    return order
