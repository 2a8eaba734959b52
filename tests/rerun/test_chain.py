"""Where a chain stops when the user says so; chains run as processes in tests/cli."""

from __future__ import annotations

import pytest

from samerun.errors import UsageError
from samerun.rerun.chain import _spelled, asked
from samerun.rerun.splits import ASKED, Leg, Split


def test_asked_splits_are_taken_in_order() -> None:
    assert asked((7, 3), 9) == [Split(3, (ASKED,)), Split(7, (ASKED,))]
    assert asked((), 9) == []


@pytest.mark.parametrize("step", [0, 9, 12])
def test_a_split_outside_the_run_is_refused_rather_than_left_out(step: int) -> None:
    with pytest.raises(UsageError, match="SR-VERIFY-002"):
        asked((3, step), 9)


def test_a_guilty_stop_is_named_with_its_reasons() -> None:
    assert _spelled(Leg(3, ("inside an epoch",), "signal")) == (
        "stopped after step 3 (inside an epoch, by a signal inside its step)"
    )
    assert _spelled(Leg(5, (), "kill")) == "killed in step 4, before its row is written"
