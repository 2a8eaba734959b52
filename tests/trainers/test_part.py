"""Optimizers and schedules as parts."""

from __future__ import annotations

from samerun.config.parts import find_part, load_build
from samerun.trainers import part


def test_every_optimizer_and_schedule_is_found_by_its_entry_point_and_can_be_built() -> None:
    optimizers = (part.ADAMW, part.SGD)
    schedules = (part.CONSTANT, part.LINEAR, part.COSINE, part.STEP, part.WARMUP_MILESTONES)
    for group, parts in (("optimizers", optimizers), ("schedules", schedules)):
        for one in parts:
            assert find_part(group, one.name, None) == one
            assert callable(load_build(one))
