"""From a resolved recipe to a trainer: read the data, refuse what cannot work (checks.py) before a run folder exists,
and build the trainer inside a run. Reading is the task's work, building each part its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from samerun.state.restore import load_into
from samerun.tiers.enforce import resolve_device
from samerun.trainers.early_stop import EarlyStop
from samerun.trainers.ema import MovingAverage
from samerun.trainers.optim import group_parameters
from samerun.trainers.schedules import Schedule
from samerun.trainers.supervised.checks import check_settings, rehearse
from samerun.trainers.supervised.config import SupervisedTable
from samerun.trainers.supervised.tasks.task import Task
from samerun.trainers.supervised.trainer import LearnSettings, SupervisedTrainer
from samerun.trainers.trainer import Loaders


@dataclass(frozen=True)
class SupervisedPlan:
    """A recipe whose data has been read and whose parts fit together."""

    config: SupervisedTable
    task: Task
    schedule: Schedule

    @property
    def inputs(self) -> tuple[Path, ...]:
        """Files and folders that hold the data."""
        return self.task.inputs

    @property
    def splits(self) -> tuple[str, ...]:
        """Splits that can be evaluated; the first is evaluated during training."""
        held_out = [name for name in ("validation", "test") if name in self.task.splits]
        return (*held_out, "train")

    @property
    def early_stop(self) -> EarlyStop | None:
        """What may end the run before its last step."""
        return None if self.config.early_stop is None else EarlyStop(self.config.early_stop)

    def start(self, run: Loaders, weights: Mapping[str, Any] | None = None) -> SupervisedTrainer:
        """Build the trainer: weights given or from `model/weights/{name}`, batches from the run's loader."""
        config = self.config
        device = torch.device(resolve_device(config.device))
        model: nn.Module = config.model.build()(config.model.settings, self.task.shape, run.source)
        if weights is not None:
            load_into(model, weights, name="init")
        model.to(device)
        batches = run.loader(
            self.task.splits["train"],
            config.batch_size,
            drop_last=config.drop_last,
            num_workers=config.workers,
            transform=self.task.augment,
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

    Raises ConfigError: SR-TASK-* for the data, SR-TRAINER-001 to -005 for parts, and what checks.py raises.
    """
    task: Task = config.task.build()(config.task.settings, project)
    schedule: Schedule = config.schedule.build()(config.schedule.settings, config.horizon_steps)
    check_settings(config, task)
    rehearse(config, task)
    return SupervisedPlan(config, task, schedule)
