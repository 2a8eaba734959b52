"""Settings of optimizers, schedules and early stopping."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from samerun.trainers.config import (
    AdamwTable,
    ConstantTable,
    CosineTable,
    EarlyStopTable,
    LinearTable,
    SgdTable,
    StepTable,
    WarmupMilestonesTable,
)


@pytest.mark.parametrize("values", [{"learning_rate": 0.0}, {"betas": (0.9, 1.0)}, {"weight_decay": -0.1}, {"lr": 0.1}])
def test_an_impossible_optimizer_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        AdamwTable.model_validate(values)


def test_nesterov_without_momentum_is_refused() -> None:
    with pytest.raises(ValidationError, match="nesterov needs a momentum"):
        SgdTable(momentum=0.0, nesterov=True)


def test_only_schedules_whose_numbers_depend_on_the_horizon_say_that_they_read_it() -> None:
    assert LinearTable.reads_horizon and CosineTable.reads_horizon
    assert not (ConstantTable.reads_horizon or StepTable.reads_horizon or WarmupMilestonesTable.reads_horizon)


def test_early_stopping_makes_the_evaluation_cadence_identity() -> None:
    assert EarlyStopTable.reads_evaluations
