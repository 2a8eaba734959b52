"""From a checked recipe to a trainer: read the data, refuse what cannot work before a run folder exists, and build the
trainer inside a run. Reading is the task's work, building each part its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

from samerun.errors import ConfigError
from samerun.streams import ambient
from samerun.streams.source import StreamSource
from samerun.trainers.ema import MovingAverage
from samerun.trainers.models.shape import Shape
from samerun.trainers.optim import group_parameters
from samerun.trainers.schedules import Schedule
from samerun.trainers.supervised.config import SupervisedTable
from samerun.trainers.supervised.evaluate import METRICS, batches_of
from samerun.trainers.supervised.tasks.task import Task, num_items
from samerun.trainers.supervised.trainer import LearnSettings, SupervisedTrainer
from samerun.trainers.trainer import Loaders


@dataclass(frozen=True)
class SupervisedPlan:
    """A recipe whose data has been read and whose parts fit together."""

    config: SupervisedTable
    task: Task
    schedule: Schedule

    @property
    def digests(self) -> Mapping[str, str]:
        """Content digests of the data, by name."""
        return self.task.digests

    @property
    def splits(self) -> tuple[str, ...]:
        """Splits that can be evaluated; the first is evaluated during training."""
        held_out = [name for name in ("validation", "test") if name in self.task.splits]
        return (*held_out, "train")

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics that an evaluation gives."""
        return METRICS[self.task.shape.goal]

    def start(self, run: Loaders) -> SupervisedTrainer:
        """Build the trainer: weights from `model/weights/{name}`, batches from the run's loader."""
        config = self.config
        device = torch.device(config.device)
        model = build_model(config, self.task.shape, run.source).to(device)
        batches = run.loader(
            self.task.splits["train"],
            config.batch_size,
            drop_last=config.drop_last,
            num_workers=config.workers,
            transform=self.task.augment,
            draws="stream" if self.task.augment else "none",
        )
        return SupervisedTrainer(
            self.task,
            model,
            config.optimizer.build()(config.optimizer.settings, group_parameters(model, config.optimizer.settings)),
            self.schedule,
            batches,
            LearnSettings(
                accumulate=config.accumulate,
                label_smoothing=config.label_smoothing,
                clip_norm=config.clip_norm,
                mixed_precision=config.mixed_precision,
                evaluate_batch_size=config.evaluate_batch_size,
            ),
            average=MovingAverage(model, config.average.decay) if config.average else None,
        )


def prepare(config: SupervisedTable, project: Path | None) -> SupervisedPlan:
    """Read the data and check that the recipe's parts fit together.

    Raises ConfigError: SR-TASK-* for the data, SR-TRAINER-001 to -005 for parts, -009 an output of the wrong shape,
    -010 a batch larger than the data, -011 label smoothing of a number.
    """
    task: Task = config.task.build()(config.task.settings, project)
    schedule: Schedule = config.schedule.build()(config.schedule.settings, config.horizon_steps)
    _check_batches(config, task)
    _check_smoothing(config, task.shape)
    _rehearse(config, task)
    return SupervisedPlan(config, task, schedule)


def build_model(config: SupervisedTable, shape: Shape, source: StreamSource) -> nn.Module:
    """Build the model on the host, its weights drawn from `source`."""
    model: nn.Module = config.model.build()(config.model.settings, shape, source)
    return model


def _check_batches(config: SupervisedTable, task: Task) -> None:
    size = num_items(task.splits["train"])
    if config.batch_size <= size:
        return
    raise ConfigError(
        "SR-TRAINER-010",
        f"batch_size: {config.batch_size} items do not fit in a training split of {size}",
        evidence=[f"batch_size: {config.batch_size}", f"items in the split 'train': {size}"],
        do=f"-s batch_size={size}, or less",
    )


def _check_smoothing(config: SupervisedTable, shape: Shape) -> None:
    if shape.goal != "value" or config.label_smoothing == 0.0:
        return
    raise ConfigError(
        "SR-TRAINER-011",
        "label_smoothing: there are no classes to spread a target over in a regression",
        evidence=[f"label_smoothing: {config.label_smoothing}"],
        do="-s label_smoothing=0",
    )


def _rehearse(config: SupervisedTable, task: Task) -> None:
    """Build the model once from any seed, sort its parameters into groups, and look at the shape of what it gives."""
    source = StreamSource(0)
    with ambient.scope(source.open("ambient/throwaway")), torch.no_grad():
        model = build_model(config, task.shape, source).eval()
        group_parameters(model, config.optimizer.settings)
        inputs, targets = next(batches_of(task.splits["train"], 2))
        outputs = model(inputs)
    wanted = (*targets.shape, task.shape.num_outputs)
    if tuple(outputs.shape) != wanted:
        raise ConfigError(
            "SR-TRAINER-009",
            f"model.kind: {config.model.kind} gives outputs of another shape than the task needs",
            evidence=[f"given: {tuple(outputs.shape)} for inputs {tuple(inputs.shape)}", f"wanted: {wanted}"],
            do="return shape.num_outputs numbers for each target (samerun.trainers.models.shape.Shape)",
        )
