"""Where to stop a run so that a resume which forgets something is caught. A pure choice; verify.py does the stopping.

A split k means: k steps are complete, then the process ends and a new one goes on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from samerun.rerun.course import Course


@dataclass(frozen=True)
class Split:
    """A place to stop: after `step` completed steps, and why just there."""

    step: int
    reasons: tuple[str, ...]


def nasty_splits(course: Course) -> list[Split]:
    """Return the splits that hurt most, in order of steps, each named once with all its reasons.

    First step, inside an epoch (a later one than the first, where there is one), an epoch boundary, right before and
    after an evaluation and a checkpoint, and the last step. Only 0 < k < steps: at the ends there is nothing to resume.
    """
    wanted: list[tuple[int, str]] = [(1, "after the first step"), (course.steps - 1, "before the last step")]
    wanted.append((_inside_an_epoch(course), "inside an epoch"))
    if boundary := _first_inside(course, course.epoch_starts):
        wanted.append((boundary, "at an epoch boundary"))
    if evaluation := _first_inside(course, course.evaluations):
        wanted += [(evaluation, "right before an evaluation"), (evaluation + 1, "right after an evaluation")]
    if checkpoint := _first_inside(course, course.checkpoints):
        wanted += [(checkpoint - 1, "right before a checkpoint"), (checkpoint + 1, "right after a checkpoint")]
    return merge(wanted, course.steps)


def merge(wanted: Iterable[tuple[int, str]], steps: int) -> list[Split]:
    """Return each step of `wanted` that lies inside the run once, with its reasons, in order."""
    reasons: dict[int, list[str]] = {}
    for step, reason in wanted:
        if 0 < step < steps:
            reasons.setdefault(step, []).append(reason)
    return [Split(step, tuple(reasons[step])) for step in sorted(reasons)]


def second_stop(split: Split, steps: int) -> int | None:
    """Return where the resumed run stops again: one step on, unless that is the end."""
    return split.step + 1 if split.step + 1 < steps else None


def _inside_an_epoch(course: Course) -> int:
    starts = [step for step in course.epoch_starts if step < course.steps] or [0]
    # The second epoch where there is one: a loader that forgets its epoch is right inside the first by accident.
    begin = starts[1] if len(starts) > 1 else starts[0]
    end = starts[2] if len(starts) > 2 else course.steps
    return (begin + end) // 2


def _first_inside(course: Course, steps: tuple[int, ...]) -> int | None:
    return next((step for step in sorted(steps) if 0 < step < course.steps), None)
