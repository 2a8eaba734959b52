"""The supervised trainer: the next batch, one optimizer step with accumulated gradients, held-out metrics.

It has no loop and knows no files. Building it is plan.py's work; losses and metrics are objective.py and evaluate.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import nn

from samerun.trainers.ema import MovingAverage
from samerun.trainers.optim import peak_rates, set_rates
from samerun.trainers.schedules import Schedule
from samerun.trainers.supervised.evaluate import Batch, measure
from samerun.trainers.supervised.objective import loss_sum
from samerun.trainers.supervised.tasks.task import Task
from samerun.trainers.trainer import Numbers, StepScope

AUTOCAST = {"bf16": torch.bfloat16, "fp16": torch.float16}


@dataclass(frozen=True)
class LearnSettings:
    """What one step does beside forward, backward and update."""

    accumulate: int = 1
    label_smoothing: float = 0.0
    clip_norm: float | None = None
    mixed_precision: str = "none"
    evaluate_batch_size: int = 256


class SupervisedTrainer:
    """Trains `model` on the batches of `task`; every object with state is given to it ready-made."""

    def __init__(
        self,
        task: Task,
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        schedule: Schedule,
        batches: Iterator[Batch],
        settings: LearnSettings,
        *,
        average: MovingAverage | None = None,
    ) -> None:
        self.model = model
        self._task = task
        self._optimizer = optimizer
        self._schedule = schedule
        self._peaks = peak_rates(optimizer)
        self._batches = batches
        self._settings = settings
        self._average = average
        self._device = next(model.parameters()).device
        is_scaled = settings.mixed_precision == "fp16"
        self._scaler = torch.amp.GradScaler(self._device.type, enabled=is_scaled)

    def state(self) -> dict[str, object]:
        """Return model, optimizer and batches, and where they are used the loss scaler and the moving average."""
        objects: dict[str, object] = {"model": self.model, "optimizer": self._optimizer, "batches": self._batches}
        if self._scaler.is_enabled():
            objects["scaler"] = self._scaler
        if self._average is not None:
            objects["average"] = self._average
        return objects

    def collect(self, step: StepScope) -> Batch:
        """Return the next batch; epochs follow each other without end."""
        return next(self._batches)

    def learn(self, step: StepScope, batch: Batch) -> Numbers:
        """Make one optimizer step on the batch; return the mean loss over its targets, the rate and the norm."""
        rate = set_rates(self._optimizer, self._peaks, self._schedule(step.index))
        self._optimizer.zero_grad()
        numbers = {"train/loss": self._accumulate_gradients(step, batch), "train/learning_rate": rate}
        if self._settings.clip_norm is not None:
            self._scaler.unscale_(self._optimizer)
            parameters = self.model.parameters()
            numbers["train/gradient_norm"] = nn.utils.clip_grad_norm_(parameters, self._settings.clip_norm)
        self._scaler.step(self._optimizer)
        self._scaler.update()
        if self._average is not None:
            self._average.update(self.model)
        return numbers

    def evaluate(self, split: str, limit: int | None = None) -> dict[str, float]:
        """Measure the weights, or their moving average where there is one, on a split."""
        model = self.model if self._average is None else self._average.model
        return measure(model, self._task, split, self._settings.evaluate_batch_size, self._device, limit)

    def _accumulate_gradients(self, step: StepScope, batch: Batch) -> torch.Tensor:
        """Add the gradient of the mean loss over all targets of the batch, one micro-batch after the other.

        Each micro-batch's sum is divided by the number of targets of the whole batch, so cutting a batch differently
        changes the gradient by rounding only. A mean of means would weigh the targets of a short cut more.
        """
        inputs, targets = (part.to(self._device) for part in batch)
        num_cuts = min(self._settings.accumulate, len(inputs))
        if num_cuts == 1:
            return self._backward(inputs, targets, targets.numel())
        cuts = zip(inputs.tensor_split(num_cuts), targets.tensor_split(num_cuts), strict=True)
        micros = step.micros(num_cuts)
        losses = [self._backward(*cut, targets.numel()) for _micro, cut in zip(micros, cuts, strict=True)]
        return torch.stack(losses).sum()

    def _backward(self, inputs: torch.Tensor, targets: torch.Tensor, num_targets: int) -> torch.Tensor:
        dtype = AUTOCAST.get(self._settings.mixed_precision)
        with torch.autocast(self._device.type, dtype=dtype, enabled=dtype is not None):
            outputs = self.model(inputs)
        summed = loss_sum(self._task.shape.goal, outputs, targets, self._settings.label_smoothing)
        loss = summed / num_targets
        self._scaler.scale(loss).backward()  # type: ignore[no-untyped-call]
        return loss.detach()
