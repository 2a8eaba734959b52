"""A loop that nobody looks at tells nobody; the others are told where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from samerun.errors import RefusedError
from samerun.run.onlookers import NOBODY, Onlookers
from samerun.run.phases import Phases
from samerun.streams.guard import Guard


def test_nobody_is_told_nothing() -> None:
    NOBODY.begin(0)
    NOBODY.settle()
    NOBODY.rest(1)


def test_a_guard_and_a_stopwatch_are_told() -> None:
    guard, phases = Guard("raise", Path()), Phases()
    watch = Onlookers(guard=guard, phases=phases)
    guard.begin()
    watch.begin(0)
    assert guard.is_covered
    watch.begin(1)
    assert [list(step) for step in phases.steps] == [["settle"]]
    watch.rest(2)
    assert guard.is_between
    watch.begin(2)
    with pytest.raises(RefusedError):
        guard.findings.add("draw", "random.random", None, "in a step", 2)
    with pytest.raises(RefusedError):
        watch.settle()
