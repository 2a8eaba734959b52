"""Settings of the supervised trainer."""

from __future__ import annotations

from typing import Any

import pytest

from samerun.config.layers import resolve
from samerun.config.schema import standing_of
from samerun.errors import ConfigError
from samerun.trainers.supervised.config import SupervisedTable

RECIPE: dict[str, Any] = {
    "trainer": "supervised",
    "steps": 10,
    "task": {"kind": "digits"},
    "model": {"kind": "mlp"},
}


def test_left_out_parts_are_adamw_at_a_constant_rate() -> None:
    values = resolve(RECIPE).values
    assert isinstance(values, SupervisedTable)
    assert values.optimizer.kind == "adamw" and values.schedule.kind == "constant"


def test_only_the_number_of_workers_is_aside_among_the_trainers_own_settings() -> None:
    own = {
        name: field for name, field in SupervisedTable.model_fields.items() if name in SupervisedTable.__annotations__
    }
    assert [name for name, field in own.items() if standing_of(field).group == "aside"] == ["workers"]


@pytest.mark.parametrize("name", ["digits", "digits-cnn", "text-gpt"])
def test_every_built_in_recipe_resolves(name: str) -> None:
    config = resolve(name)
    assert isinstance(config.values, SupervisedTable)
    assert config.values.steps % config.values.evaluate.every == 0


def test_all_faults_of_a_recipe_are_reported_together() -> None:
    faults = {"batch_size": 0, "clip_norm": -1.0, "mixed_precision": "fp8", "workerz": 2}
    with pytest.raises(ConfigError) as caught:
        resolve({**RECIPE, **faults, "optimizer": {"kind": "adamw", "learning_rate": "fast"}})
    text = str(caught.value)
    assert all(name in text for name in [*faults, "optimizer.learning_rate"]) and "did you mean 'workers'" in text


def test_early_stopping_makes_the_cadence_of_evaluations_identity() -> None:
    watching = [resolve({**RECIPE, "evaluate": {"every": every}}).digest for every in (1, 2)]
    deciding = [
        resolve({**RECIPE, "evaluate": {"every": every}, "early_stop": {"patience": 2}}).digest for every in (1, 2)
    ]
    assert watching[0] == watching[1] and deciding[0] != deciding[1]
