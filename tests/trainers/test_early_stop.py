"""When a run ends before its last step."""

from __future__ import annotations

import math

import pytest

from samerun.errors import ConfigError
from samerun.trainers.config import EarlyStopTable
from samerun.trainers.early_stop import EarlyStop


def decisions(values: list[float], table: EarlyStopTable) -> list[bool]:
    stopper = EarlyStop(table)
    return [stopper.should_stop({table.metric: value}) for value in values]


def test_it_stops_after_patience_evaluations_without_an_improvement() -> None:
    assert decisions([3.0, 2.0, 2.5, 2.4], EarlyStopTable(patience=2)) == [False, False, False, True]


def test_higher_is_better_when_the_recipe_says_so() -> None:
    table = EarlyStopTable(metric="evaluate/accuracy", better="higher", patience=1)
    assert decisions([0.5, 0.6, 0.6], table) == [False, False, True]


def test_a_gain_below_the_least_one_is_no_improvement() -> None:
    assert decisions([1.0, 0.95, 0.85], EarlyStopTable(patience=2, min_delta=0.1)) == [False, False, False]
    assert decisions([1.0, 0.95, 0.92], EarlyStopTable(patience=2, min_delta=0.1)) == [False, False, True]


def test_nan_is_never_an_improvement() -> None:
    assert decisions([math.nan, 1.0, math.nan, math.nan], EarlyStopTable(patience=2)) == [False, False, False, True]


def test_the_count_goes_on_after_a_restart() -> None:
    table = EarlyStopTable(patience=3)
    values = [1.0, 1.1, 1.2, 1.3]
    for split in range(len(values)):
        first = EarlyStop(table)
        for value in values[:split]:
            first.should_stop({table.metric: value})
        second = EarlyStop(table)
        second.load_state_dict(first.state_dict())
        assert [second.should_stop({table.metric: value}) for value in values[split:]][-1] is True


def test_a_metric_that_is_not_evaluated_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match="SR-TRAINER-008"):
        EarlyStop(EarlyStopTable(metric="evaluate/f1")).should_stop({"evaluate/loss": 1.0})
