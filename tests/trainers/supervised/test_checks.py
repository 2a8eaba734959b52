"""What is refused before a run folder exists."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from samerun.config.layers import resolve
from samerun.errors import ConfigError
from samerun.streams import ambient
from samerun.trainers.models.shape import Shape
from samerun.trainers.supervised.checks import check_settings, rehearse
from samerun.trainers.supervised.config import SupervisedTable
from samerun.trainers.supervised.tasks.task import Task

RECIPE: dict[str, Any] = {
    "trainer": "supervised",
    "steps": 10,
    "task": {"kind": "digits"},
    "model": {"kind": "mlp"},
    "batch_size": 8,
}
CLASSES = Task(
    shape=Shape((1, 8, 8), 10, "classes"),
    splits={"train": (torch.zeros(20, 1, 8, 8), torch.zeros(20, dtype=torch.int64))},
)
VALUE = Task(shape=Shape((5,), 1, "value"), splits={"train": (torch.zeros(20, 5), torch.zeros(20))})


def settings(**changes: Any) -> SupervisedTable:
    values = resolve({**RECIPE, **changes}).values
    assert isinstance(values, SupervisedTable)
    return values


def test_a_recipe_that_fits_its_data_passes() -> None:
    check_settings(settings(), CLASSES)
    rehearse(settings(), CLASSES)


def test_a_batch_larger_than_the_data_is_refused() -> None:
    with pytest.raises(ConfigError, match="SR-TRAINER-010"):
        check_settings(settings(batch_size=21), CLASSES)


def test_smoothing_a_number_is_refused() -> None:
    with pytest.raises(ConfigError, match="SR-TRAINER-011"):
        check_settings(settings(label_smoothing=0.1), VALUE)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"early_stop": {"metric": "evaluate/f1"}, "evaluate": {"every": 5}}, "evaluated: evaluate/loss"),
        ({"early_stop": {"metric": "evaluate/loss"}}, "nothing is evaluated"),
        ({"checkpoint": {"best": {"metric": "evaluate/accuracy", "better": "higher"}}}, "nothing is evaluated"),
    ],
)
def test_a_metric_that_is_never_evaluated_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match="SR-TRAINER-008") as caught:
        check_settings(settings(**changes), CLASSES)
    assert words in caught.value.evidence[0]


def test_a_training_metric_may_choose_the_best_checkpoint_without_evaluation() -> None:
    check_settings(settings(checkpoint={"best": {"metric": "train/loss", "better": "lower"}}), CLASSES)


def test_a_model_that_cannot_read_the_task_is_refused() -> None:
    with pytest.raises(ConfigError, match="SR-TRAINER-001"):
        rehearse(settings(model={"kind": "gpt"}), CLASSES)


def test_a_group_that_matches_no_parameter_is_refused() -> None:
    groups = [{"match": "head.*", "weight_decay": 0.5}]
    with pytest.raises(ConfigError, match="SR-TRAINER-005"):
        rehearse(settings(optimizer={"kind": "sgd", "groups": groups}), CLASSES)


def test_an_output_of_the_wrong_shape_is_refused() -> None:
    wrong = Task(shape=Shape((1, 8, 8), 10, "classes"), splits={"train": (torch.zeros(2, 1, 8, 8), torch.zeros(2, 3))})
    with pytest.raises(ConfigError, match="SR-TRAINER-009"):
        rehearse(settings(), wrong)


def test_the_rehearsal_moves_no_generator() -> None:
    before = ambient.capture()
    expected = ambient.fingerprint()
    ambient.put_back(before)
    rehearse(settings(model={"kind": "mlp", "dropout": 0.5}), CLASSES)
    assert ambient.fingerprint() == expected
