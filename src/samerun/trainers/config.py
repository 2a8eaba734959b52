"""Settings that every built-in trainer shares: optimizers, schedules, early stopping. No torch: recipes are checked
without it.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from samerun.config.schema import Count, Positive, Table, Text

AboveZero = Annotated[float, Field(gt=0.0)]
NotNegative = Annotated[float, Field(ge=0.0)]
Share = Annotated[float, Field(ge=0.0, lt=1.0)]


class GroupTable(Table):
    """Settings of their own for the parameters whose name matches a pattern."""

    match: Text
    """Pattern over parameter names, as in a shell: `*.bias`, `blocks.0.*`. The first match decides."""
    learning_rate: NotNegative | None = None
    """Peak rate of these parameters; null keeps the optimizer's."""
    weight_decay: NotNegative | None = None
    """Weight decay of these parameters; null keeps the optimizer's rule."""


class OptimizerTable(Table):
    """What every optimizer has."""

    learning_rate: AboveZero = 1e-3
    """Peak rate (per step); the schedule multiplies it."""
    weight_decay: NotNegative = 0.01
    """Weight decay of tensors with two or more dimensions."""
    decay_all: bool = False
    """Apply weight decay to norms and biases too."""
    groups: tuple[GroupTable, ...] = ()
    """Overrides by parameter name; the first that matches decides."""


class AdamwTable(OptimizerTable):
    """AdamW."""

    betas: tuple[Share, Share] = (0.9, 0.999)
    """Decay of the averages of the gradient and of its square."""
    epsilon: AboveZero = 1e-8
    """Added to the root of the second average."""


class SgdTable(OptimizerTable):
    """Stochastic gradient descent."""

    momentum: Share = 0.9
    """Share of the last update that is kept."""
    nesterov: bool = False
    """Look ahead by one update; needs momentum."""

    @model_validator(mode="after")
    def _nesterov_needs_momentum(self) -> SgdTable:
        if self.nesterov and self.momentum == 0.0:
            raise ValueError("nesterov needs a momentum above 0")
        return self


class ScheduleTable(Table):
    """What every schedule has."""

    warmup_steps: Count = 0
    """Steps over which the rate rises to its peak in a straight line."""


class ConstantTable(ScheduleTable):
    """The peak rate after the warm-up."""


class LinearTable(ScheduleTable):
    """A straight line from the peak down to the horizon."""

    reads_horizon: ClassVar[bool] = True

    final_factor: NotNegative = 0.0
    """Share of the peak rate at the horizon and after it."""


class CosineTable(ScheduleTable):
    """Half a cosine from the peak down to the horizon."""

    reads_horizon: ClassVar[bool] = True

    final_factor: NotNegative = 0.0
    """Share of the peak rate at the horizon and after it."""


class StepTable(ScheduleTable):
    """A fall by a factor every so many steps."""

    every_steps: Positive = 1000
    """Steps between two falls."""
    decay: AboveZero = 0.1
    """Factor of each fall."""


class WarmupMilestonesTable(ScheduleTable):
    """A fall by a factor at each named step."""

    milestones: tuple[Positive, ...] = ()
    """Steps at which the rate falls: step m is the first with the lower rate."""
    decay: AboveZero = 0.1
    """Factor of each fall."""


class EarlyStopTable(Table):
    """End the run when an evaluated metric no longer improves. Makes `evaluate.every` part of the identity."""

    reads_evaluations: ClassVar[bool] = True

    metric: Text = "evaluate/loss"
    """Name of the metric as in the metrics log."""
    better: Literal["lower", "higher"] = "lower"
    """Which direction is an improvement."""
    patience: Positive = 5
    """Evaluations without an improvement after which the run ends."""
    min_delta: NotNegative = 0.0
    """An improvement must be larger than this."""
