"""Learning rate schedules as pure functions of the step: `factor(i)` multiplies the peak rate of optimizer step i.

A schedule has no state, so there is nothing to restore and nothing to be off by one after a resume. Setting the rate on
an optimizer is in optim.py. No torch here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

from samerun.errors import ConfigError
from samerun.trainers.config import (
    ConstantTable,
    CosineTable,
    LinearTable,
    ScheduleTable,
    StepTable,
    WarmupMilestonesTable,
)

Schedule = Callable[[int], float]
"""The factor of optimizer step i, counted from 0."""


def constant(config: ConstantTable, horizon_steps: int | None) -> Schedule:
    """Factor 1 after the warm-up, for ever. The horizon is only checked against the warm-up."""
    return _with_warmup(config, horizon_steps, lambda _index: 1.0)


def linear(config: LinearTable, horizon_steps: int | None) -> Schedule:
    """Fall in a straight line from 1 after the warm-up to `final_factor` at the horizon; stay there."""
    return _to_horizon(config, horizon_steps, lambda way: 1.0 - (1.0 - config.final_factor) * way)


def cosine(config: CosineTable, horizon_steps: int | None) -> Schedule:
    """Fall along half a cosine to `final_factor` at the horizon; stay there.

    Source: Loshchilov and Hutter 2017 (SGDR), equation 5, without restarts.
    """
    final = config.final_factor
    return _to_horizon(config, horizon_steps, lambda way: final + (1.0 - final) * 0.5 * (1.0 + math.cos(math.pi * way)))


def step(config: StepTable, horizon_steps: int | None) -> Schedule:
    """Multiply by `decay` after every `every_steps` steps, counted from step 0."""
    return _with_warmup(config, horizon_steps, lambda index: config.decay ** (index // config.every_steps))


def warmup_milestones(config: WarmupMilestonesTable, horizon_steps: int | None) -> Schedule:
    """Multiply by `decay` at each milestone: optimizer step m is the first one with the lower rate."""
    _check_milestones(config, horizon_steps)
    return _with_warmup(config, horizon_steps, lambda index: config.decay ** sum(index >= m for m in config.milestones))


def _to_horizon(config: ScheduleTable, horizon_steps: int | None, curve: Callable[[float], float]) -> Schedule:
    """Apply `curve` to the share of the way from the end of the warm-up (0) to the horizon and beyond (1)."""
    assert horizon_steps is not None, "a schedule with reads_horizon is given one (config/layers.py)"

    def decayed(index: int) -> float:
        return curve(min(max(index - config.warmup_steps, 0) / (horizon_steps - config.warmup_steps), 1.0))

    return _with_warmup(config, horizon_steps, decayed)


def _with_warmup(config: ScheduleTable, horizon_steps: int | None, decayed: Schedule) -> Schedule:
    """Multiply by (i + 1) / warmup_steps in the warm-up: step 0 already moves, step warmup_steps - 1 has the peak."""
    _check_warmup(config, horizon_steps)
    warmup_steps = config.warmup_steps

    def factor(index: int) -> float:
        warmth = (index + 1) / warmup_steps if index < warmup_steps else 1.0
        return warmth * decayed(index)

    return factor


def _check_warmup(config: ScheduleTable, horizon_steps: int | None) -> None:
    if horizon_steps is None or config.warmup_steps < horizon_steps:
        return
    raise ConfigError(
        "SR-TRAINER-002",
        f"schedule.warmup_steps: a warm-up of {config.warmup_steps} steps does not end within the horizon",
        evidence=[f"schedule.warmup_steps: {config.warmup_steps}", f"horizon_steps: {horizon_steps}"],
        do=f"set schedule.warmup_steps below {horizon_steps}, or raise horizon_steps (default: steps)",
    )


def _check_milestones(config: WarmupMilestonesTable, horizon_steps: int | None) -> None:
    milestones = config.milestones
    is_ascending = all(first < second for first, second in pairwise(milestones))
    end = math.inf if horizon_steps is None else horizon_steps
    if is_ascending and all(config.warmup_steps <= milestone < end for milestone in milestones):
        return
    raise ConfigError(
        "SR-TRAINER-003",
        "schedule.milestones: milestones must ascend, none inside the warm-up and none at or after the horizon",
        evidence=[
            f"schedule.milestones: {list(milestones)}",
            f"schedule.warmup_steps: {config.warmup_steps}",
            f"horizon_steps: {horizon_steps}",
        ],
        do="name steps at which the rate is to fall, or raise horizon_steps",
    )
