"""Settings of the supervised trainer. No torch: recipes are checked without it. The tables of tasks, models,
optimizers and schedules belong to those parts.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from samerun.config.parts import DEFAULT_PART, PartChoice, PartSlot
from samerun.config.schema import Count, Positive, RunTable, Table, aside
from samerun.trainers.config import EarlyStopTable

Share = Annotated[float, Field(ge=0.0, lt=1.0)]


class MovingAverageTable(Table):
    """An exponential moving average of the weights; evaluation then uses the average."""

    decay: Annotated[float, Field(gt=0.0, lt=1.0)] = 0.999
    """Share of the old average that an update keeps, once warmed up."""


class SupervisedTable(RunTable):
    """A recipe of the supervised trainer."""

    task: Annotated[PartChoice, PartSlot("tasks")]
    """What is learned, and from which data."""

    model: Annotated[PartChoice, PartSlot("models")]
    """What learns it."""

    optimizer: Annotated[PartChoice, PartSlot("optimizers", default="adamw")] = DEFAULT_PART
    """How the weights move."""

    schedule: Annotated[PartChoice, PartSlot("schedules", default="constant")] = DEFAULT_PART
    """How the learning rate changes from step to step."""

    batch_size: Positive = 64
    """Items in an optimizer step; the last batch of an epoch may be smaller."""

    drop_last: bool = False
    """Leave out the last batch of an epoch where it would be smaller."""

    accumulate: Positive = 1
    """Micro-batches that a batch is cut into; their gradients are summed, so the step means the same."""

    workers: Count = aside(0, "items are drawn by name, so the number of loader processes changes no number")
    """Processes that load and augment items; 0 loads in this one."""

    label_smoothing: Share = 0.0
    """Share of each target spread evenly over all classes or tokens, in training."""

    clip_norm: Annotated[float, Field(gt=0.0)] | None = None
    """Largest norm of the gradient of all weights together; null for no limit."""

    mixed_precision: Literal["none", "bf16", "fp16"] = "none"
    """Autocast of the forward pass; fp16 scales the loss and leaves out steps whose gradient is not finite."""

    average: MovingAverageTable | None = None
    """A moving average of the weights for evaluation, or null for none."""

    early_stop: EarlyStopTable | None = None
    """When to end the run before `steps`, or null for never."""

    evaluate_batch_size: Positive = 256
    """Items evaluated at a time."""
