"""Phases of steps add up to the time between their beginnings."""

from __future__ import annotations

from samerun.base import clock
from samerun.run.phases import Phases


def test_phases_of_a_step_add_up_to_the_whole() -> None:
    phases = Phases()
    began = clock.monotonic()
    for _ in range(3):
        phases.begin()
        for name in ("collect", "learn", "learn"):
            clock.sleep(0.002)
            phases.mark(name)
        clock.sleep(0.001)
    phases.begin()
    whole = clock.monotonic() - began
    assert [list(step) for step in phases.steps] == [["collect", "learn", "settle"]] * 3
    assert all(seconds > 0 for step in phases.steps for seconds in step.values())
    assert sum(sum(step.values()) for step in phases.steps) <= whole + 1e-6
    assert phases.steps[0]["learn"] > phases.steps[0]["collect"] / 2


def test_a_step_that_is_under_way_is_not_among_the_complete_ones() -> None:
    phases = Phases()
    phases.mark("before")
    phases.begin()
    phases.mark("collect")
    assert phases.steps == []
