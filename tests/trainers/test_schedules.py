"""Learning rates as a pure function of the step."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from samerun.errors import ConfigError
from samerun.trainers import schedules
from samerun.trainers.config import ConstantTable, CosineTable, LinearTable, StepTable, WarmupMilestonesTable


def test_constant_stays_at_the_peak() -> None:
    factor = schedules.constant(ConstantTable(), None)
    assert [factor(index) for index in (0, 1, 10**6)] == [1.0, 1.0, 1.0]


def test_a_warm_up_begins_above_zero_and_reaches_the_peak_at_its_last_step() -> None:
    factor = schedules.constant(ConstantTable(warmup_steps=4), None)
    assert [factor(index) for index in range(6)] == [0.25, 0.5, 0.75, 1.0, 1.0, 1.0]


def test_linear_falls_to_its_end_at_the_horizon_and_stays_there() -> None:
    factor = schedules.linear(LinearTable(final_factor=0.2), 8)
    assert factor(0) == 1.0
    assert factor(4) == pytest.approx(0.6)
    assert factor(8) == factor(9) == factor(10**6) == pytest.approx(0.2)


def test_cosine_is_half_way_down_in_the_middle() -> None:
    factor = schedules.cosine(CosineTable(warmup_steps=10, final_factor=0.1), 110)
    assert factor(9) == factor(10) == 1.0
    assert factor(60) == pytest.approx(0.55)
    assert factor(110) == factor(500) == pytest.approx(0.1)


def test_cosine_falls_at_every_step_between_warm_up_and_horizon() -> None:
    factor = schedules.cosine(CosineTable(warmup_steps=5), 50)
    values = [factor(index) for index in range(5, 51)]
    assert all(first > second for first, second in pairwise(values))


def test_step_falls_after_every_interval() -> None:
    factor = schedules.step(StepTable(every_steps=3, decay=0.5), None)
    assert [factor(index) for index in range(7)] == [1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.25]


def test_a_milestone_is_the_first_step_with_the_lower_rate() -> None:
    factor = schedules.warmup_milestones(WarmupMilestonesTable(warmup_steps=2, milestones=(4, 6), decay=0.1), 10)
    expected = [0.5, 1.0, 1.0, 1.0, 0.1, 0.1, 0.01, 0.01]
    assert [factor(index) for index in range(8)] == pytest.approx(expected)


@pytest.mark.parametrize("warmup_steps", [10, 11])
def test_a_warm_up_that_does_not_end_within_the_horizon_is_refused(warmup_steps: int) -> None:
    with pytest.raises(ConfigError, match="SR-TRAINER-002") as caught:
        schedules.cosine(CosineTable(warmup_steps=warmup_steps), 10)
    assert "horizon_steps: 10" in caught.value.evidence


@pytest.mark.parametrize("milestones", [(5, 5), (6, 5), (1,), (10,), (5, 20)])
def test_milestones_that_cannot_be_met_are_refused(milestones: tuple[int, ...]) -> None:
    with pytest.raises(ConfigError, match="SR-TRAINER-003"):
        schedules.warmup_milestones(WarmupMilestonesTable(warmup_steps=2, milestones=milestones), 10)


def test_every_schedule_is_finite_and_never_negative_far_beyond_the_horizon() -> None:
    made = [
        schedules.constant(ConstantTable(warmup_steps=3), 10),
        schedules.linear(LinearTable(warmup_steps=3), 10),
        schedules.cosine(CosineTable(warmup_steps=3), 10),
        schedules.step(StepTable(warmup_steps=3, every_steps=2), 10),
        schedules.warmup_milestones(WarmupMilestonesTable(milestones=(3, 4)), 10),
    ]
    for factor in made:
        assert all(math.isfinite(factor(index)) and factor(index) >= 0.0 for index in [*range(20), 10**6])
