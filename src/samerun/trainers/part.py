"""The optimizers and schedules as parts. No torch: a part says where it is built (optim.py, schedules.py)."""

from __future__ import annotations

from samerun.config.parts import Part
from samerun.trainers import config

ADAMW = Part(
    name="adamw",
    config=config.AdamwTable,
    build="samerun.trainers.optim:adamw",
    description="Adam with decoupled weight decay",
)
SGD = Part(
    name="sgd",
    config=config.SgdTable,
    build="samerun.trainers.optim:sgd",
    description="stochastic gradient descent with momentum",
)
CONSTANT = Part(
    name="constant",
    config=config.ConstantTable,
    build="samerun.trainers.schedules:constant",
    description="the peak rate after a warm-up",
)
LINEAR = Part(
    name="linear",
    config=config.LinearTable,
    build="samerun.trainers.schedules:linear",
    description="a straight line down to the horizon, after a warm-up",
)
COSINE = Part(
    name="cosine",
    config=config.CosineTable,
    build="samerun.trainers.schedules:cosine",
    description="half a cosine down to the horizon, after a warm-up",
)
STEP = Part(
    name="step",
    config=config.StepTable,
    build="samerun.trainers.schedules:step",
    description="a fall by a factor every so many steps, after a warm-up",
)
WARMUP_MILESTONES = Part(
    name="warmup_milestones",
    config=config.WarmupMilestonesTable,
    build="samerun.trainers.schedules:warmup_milestones",
    description="a fall by a factor at each named step, after a warm-up",
)
