"""Metrics of a model on held-out items, in a fixed order and without randomness. Nothing is trained here."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import default_collate

from samerun.trainers.models.shape import Goal
from samerun.trainers.supervised.objective import loss_sum, num_correct
from samerun.trainers.supervised.tasks.task import Items, Task, num_items

Batch = tuple[torch.Tensor, torch.Tensor]

METRICS: dict[Goal, tuple[str, ...]] = {
    "classes": ("loss", "accuracy"),
    "tokens": ("loss", "accuracy", "bits_per_byte"),
    "value": ("loss", "rmse", "mae", "r2"),
}
"""What `measure` gives for each goal."""


def batches_of(items: Items, batch_size: int, limit: int | None = None) -> Iterator[Batch]:
    """Yield the items of a split in order, `batch_size` at a time, at most `limit` of them."""
    total = num_items(items) if limit is None else min(limit, num_items(items))
    for start in range(0, total, batch_size):
        end = min(start + batch_size, total)
        if isinstance(items, tuple):
            yield items[0][start:end], items[1][start:end]
        else:
            inputs, targets = default_collate([items[position] for position in range(start, end)])
            yield inputs, targets


@torch.no_grad()
def measure(
    model: nn.Module, task: Task, split: str, batch_size: int, device: torch.device, limit: int | None = None
) -> dict[str, float]:
    """Return the metrics of `model` on a split; the model's train/eval mode is put back.

    `classes`: loss (nats an item), accuracy. `tokens`: loss (nats a token), accuracy, bits_per_byte.
    `value`: loss (in standardised units), rmse and mae (in the value's own unit), r2 (0 for the mean's guess).
    """
    measures = {"classes": _measure_classes, "tokens": _measure_tokens, "value": _measure_value}
    was_training = model.training
    model.eval()
    try:
        batches = ((x.to(device), y.to(device)) for x, y in batches_of(task.splits[split], batch_size, limit))
        return measures[task.shape.goal](model, batches, task)
    finally:
        model.train(was_training)


@dataclass
class _Sums:
    """Running sums in float64 on the host."""

    loss: float = 0.0
    correct: int = 0
    targets: int = 0

    def add(self, model: nn.Module, task: Task, inputs: torch.Tensor, targets: torch.Tensor) -> None:
        outputs = model(inputs)
        self.loss += float(loss_sum(task.shape.goal, outputs, targets))
        self.correct += int(num_correct(outputs, targets))
        self.targets += targets.numel()


def _measure_classes(model: nn.Module, batches: Iterator[Batch], task: Task) -> dict[str, float]:
    sums = _Sums()
    for inputs, targets in batches:
        sums.add(model, task, inputs, targets)
    return {"loss": sums.loss / sums.targets, "accuracy": sums.correct / sums.targets}


def _measure_tokens(model: nn.Module, batches: Iterator[Batch], task: Task) -> dict[str, float]:
    sums, num_bytes = _Sums(), 0
    for inputs, targets in batches:
        sums.add(model, task, inputs, targets)
        num_bytes += int(task.bytes_per_token[targets.cpu().long()].sum())
    return {
        "loss": sums.loss / sums.targets,
        "accuracy": sums.correct / sums.targets,
        "bits_per_byte": sums.loss / math.log(2.0) / num_bytes,
    }


def _measure_value(model: nn.Module, batches: Iterator[Batch], task: Task) -> dict[str, float]:
    """Compare predictions and targets; r2 compares with a guess of the mean of these targets."""
    predictions: list[torch.Tensor] = []
    values: list[torch.Tensor] = []
    for inputs, targets in batches:
        predictions.append(model(inputs).squeeze(-1).double().cpu())
        values.append(targets.double().cpu())
    error, value = torch.cat(predictions) - torch.cat(values), torch.cat(values)
    squared = float(error.square().mean())
    spread = float((value - value.mean()).square().mean())
    return {
        "loss": squared,
        "rmse": math.sqrt(squared) * task.target_deviation,
        "mae": float(error.abs().mean()) * task.target_deviation,
        "r2": 1.0 - squared / spread if spread > 0.0 else math.nan,
    }
