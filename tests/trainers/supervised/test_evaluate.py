"""Held-out metrics."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from samerun.trainers.models.shape import Goal, Shape
from samerun.trainers.supervised.evaluate import METRICS, batches_of, measure
from samerun.trainers.supervised.tasks.task import Items, Task

CPU = torch.device("cpu")


def task_of(goal: Goal, items: Items, num_outputs: int, **values: object) -> Task:
    shape = Shape(item=(1,), num_outputs=num_outputs, goal=goal)
    return Task(shape=shape, splits={"test": items}, **values)  # type: ignore[arg-type]


class Constant(nn.Module):
    """Gives the same output for every item."""

    def __init__(self, output: torch.Tensor) -> None:
        super().__init__()
        self.output = nn.Parameter(output)

    def forward(self, items: torch.Tensor) -> torch.Tensor:
        return self.output.expand(len(items), *self.output.shape)


def test_batches_cover_every_item_in_order() -> None:
    items = (torch.arange(7.0), torch.arange(7))
    assert [batch[1].tolist() for batch in batches_of(items, 3)] == [[0, 1, 2], [3, 4, 5], [6]]
    assert [batch[1].tolist() for batch in batches_of(items, 3, limit=4)] == [[0, 1, 2], [3]]


def test_items_by_index_are_stacked_as_items_in_memory_are() -> None:
    indexed = [(torch.tensor([float(number)]), number) for number in range(5)]
    inputs, targets = next(batches_of(indexed, 5))  # type: ignore[arg-type]
    assert inputs.shape == (5, 1) and targets.tolist() == [0, 1, 2, 3, 4]


def test_classes_are_measured_by_nats_and_by_share() -> None:
    task = task_of("classes", (torch.zeros(4, 1), torch.tensor([0, 0, 1, 2])), 3)
    numbers = measure(Constant(torch.zeros(3)), task, "test", 3, CPU)
    assert numbers == {"loss": pytest.approx(math.log(3)), "accuracy": 0.5}


def test_tokens_are_measured_by_bits_for_each_byte_they_stand_for() -> None:
    targets = torch.tensor([[0, 1, 1], [0, 0, 1]], dtype=torch.int32)
    task = task_of("tokens", (torch.zeros(2, 3), targets), 4, bytes_per_token=torch.tensor([1, 3, 1, 1]))
    numbers = measure(Constant(torch.zeros(3, 4)), task, "test", 1, CPU)
    assert numbers["loss"] == pytest.approx(math.log(4))
    assert numbers["bits_per_byte"] == pytest.approx(6 * 2.0 / (3 * 1 + 3 * 3))
    assert numbers["accuracy"] == 0.5


def test_values_are_measured_in_their_own_unit() -> None:
    targets = torch.tensor([-1.0, 0.0, 1.0])
    task = task_of("value", (torch.zeros(3, 1), targets), 1, target_mean=50.0, target_deviation=10.0)
    numbers = measure(Constant(torch.zeros(1)), task, "test", 2, CPU)
    assert numbers["rmse"] == pytest.approx(10.0 * math.sqrt(2.0 / 3.0))
    assert numbers["mae"] == pytest.approx(10.0 * 2.0 / 3.0)
    assert numbers["r2"] == pytest.approx(0.0)


@pytest.mark.parametrize("was_training", [True, False])
def test_the_mode_of_the_model_is_put_back(was_training: bool) -> None:
    model = nn.Sequential(nn.Dropout(0.5), nn.Linear(1, 3)).train(was_training)
    task = task_of("classes", (torch.ones(4, 1), torch.tensor([0, 0, 1, 2])), 3)
    first, second = (measure(model, task, "test", 4, CPU) for _ in range(2))
    assert first == second and model.training is was_training


def test_the_mode_is_put_back_after_an_exception() -> None:
    model = nn.Linear(2, 3).train()
    task = task_of("classes", (torch.ones(4, 1), torch.tensor([0, 0, 1, 2])), 3)
    with pytest.raises(RuntimeError):
        measure(model, task, "test", 4, CPU)
    assert model.training


def test_the_names_of_metrics_are_those_that_are_given() -> None:
    classes = task_of("classes", (torch.zeros(1, 1), torch.tensor([0])), 3)
    value = task_of("value", (torch.zeros(2, 1), torch.tensor([0.0, 1.0])), 1)
    tokens = task_of("tokens", (torch.zeros(1, 2), torch.zeros(1, 2)), 3, bytes_per_token=torch.ones(3))
    outputs = {"classes": torch.zeros(3), "value": torch.zeros(1), "tokens": torch.zeros(2, 3)}
    for task in (classes, value, tokens):
        goal = task.shape.goal
        assert tuple(measure(Constant(outputs[goal]), task, "test", 2, CPU)) == METRICS[goal]
