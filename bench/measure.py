"""Timing two ways of doing one thing in one process, in turns, so that a slow moment of the machine hits both.
A Figure is what a benchmark answers: a ratio, what was wanted, and the words that make it honest."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One line of docs/benchmarks.md. `ratio` is ours / theirs unless `wanted` says otherwise."""

    name: str
    ours: str
    theirs: str
    ratio: float
    wanted: str
    is_met: bool
    note: str = ""


@dataclass(frozen=True)
class Pair:
    """Seconds of one round on each side (medians), and the median of the ratios round by round."""

    ours: float
    theirs: float
    ratio: float


def in_turns(ours: Callable[[], object], theirs: Callable[[], object], rounds: int = 15, warm_up: int = 2) -> Pair:
    """Time both, one after the other, `rounds` times; who begins alternates."""
    for _ in range(warm_up):
        ours()
        theirs()
    times: dict[str, list[float]] = {"ours": [], "theirs": []}
    for turn in range(rounds):
        sides = [("ours", ours), ("theirs", theirs)]
        for name, action in sides if turn % 2 == 0 else reversed(sides):
            times[name].append(seconds(action))
    ratios = [a / b for a, b in zip(times["ours"], times["theirs"], strict=True)]
    return Pair(statistics.median(times["ours"]), statistics.median(times["theirs"]), statistics.median(ratios))


def seconds(action: Callable[[], object]) -> float:
    """Seconds that `action` takes, with the garbage collector out of the way."""
    gc.collect()
    gc.disable()
    began = time.perf_counter()
    action()
    taken = time.perf_counter() - began
    gc.enable()
    return taken


def human(value: float) -> str:
    """Spell seconds with three digits."""
    for unit, factor in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= factor:
            return f"{value / factor:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"
