"""Phases of steps add up to the time between their beginnings."""

from __future__ import annotations

from samerun.base import clock
from samerun.run.phases import Phases


def test_phases_of_a_step_add_up_to_the_whole() -> None:
    phases = Phases()
    before_first = clock.monotonic()
    phases.begin()
    after_first = clock.monotonic()
    for _ in range(3):
        for name in ("collect", "learn", "learn"):
            clock.sleep(0.002)
            phases.mark(name)
        clock.sleep(0.001)
        before_last = clock.monotonic()
        phases.begin()
    after_last = clock.monotonic()
    assert [list(step) for step in phases.steps] == [["collect", "learn", "settle"]] * 3
    whole = sum(sum(step.values()) for step in phases.steps)
    assert before_last - after_first - 1e-6 <= whole <= after_last - before_first + 1e-6


def test_a_step_that_is_under_way_is_not_among_the_complete_ones() -> None:
    phases = Phases()
    phases.mark("before")
    phases.begin()
    phases.mark("collect")
    assert phases.steps == []
