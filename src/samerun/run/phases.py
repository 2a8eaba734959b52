"""A stopwatch for the phases of each step: collect, learn, evaluate, settle. It is read by `doctor --price`.

A loop without one pays nothing. What a phase is, is said by whoever calls `mark` at its end.
"""

from __future__ import annotations

from samerun.base import clock

SETTLE = "settle"


class Phases:
    """Seconds of each phase, step by step; `steps` holds the complete ones. A step ends where the next one begins."""

    def __init__(self) -> None:
        self.steps: list[dict[str, float]] = []
        self._under_way: dict[str, float] | None = None
        self._last = 0.0

    def begin(self) -> None:
        """Note that a step begins: what passed since the last mark was the settling of the one before."""
        if self._under_way is not None:
            self.mark(SETTLE)
            self.steps.append(self._under_way)
        else:
            self._last = clock.monotonic()
        self._under_way = {}

    def mark(self, phase: str) -> None:
        """Note that a phase has ended; what passed since the last mark belongs to it."""
        now = clock.monotonic()
        if self._under_way is not None:
            self._under_way[phase] = self._under_way.get(phase, 0.0) + now - self._last
        self._last = now
