"""Where to stop a run so that a resume which forgets something is caught. A pure choice; chain.py does the stopping.

A split k means: k steps are complete, then the process ends and a new one goes on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from samerun.rerun.course import Course

INSIDE = "inside an epoch"
ASKED = "as asked"
AGAIN = "a step after the resume"


@dataclass(frozen=True)
class Split:
    """A place to stop: after `step` completed steps, and why just there."""

    step: int
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Leg:
    """One process of a chain: from where the last one ended until `stop` steps are complete (null: to the end)."""

    stop: int | None
    reasons: tuple[str, ...] = ()
    kind: Literal["stop", "signal", "kill"] = "stop"
    """signal: the stop is asked for in the middle of the step before it. kill: the process dies, at the end of it."""
    has_other_workers: bool = False

    def __str__(self) -> str:
        if self.kind == "kill" and self.stop is not None:
            return f"killed in step {self.stop - 1}, before its row is written"
        return (
            f"{self.stop} {', '.join(self.reasons)}{', by a signal inside its step' if self.kind == 'signal' else ''}"
        )


def legs_of(splits: list[Split], steps: int) -> list[Leg]:
    """Return the processes of one chain that stops at every split, resumes, and goes on to the end.

    After the first split, the one inside an epoch and every one that was asked for it stops a second time, one step on.
    Inside an epoch the stop is asked for by a signal, the next process works with another number of loader processes,
    and the one after it is killed.
    """
    inside = next((split for split in splits if INSIDE in split.reasons), None)
    second = {split.step for split in splits if ASKED in split.reasons or split == inside}
    if splits and splits[0].step == 1:
        second.add(1)
    reasons = {split.step: split.reasons for split in splits}
    for step in sorted(second):
        if step + 1 < steps:
            reasons.setdefault(step + 1, (AGAIN,))
    legs: list[Leg] = []
    for step in sorted(reasons):
        is_inside = inside is not None and step == inside.step
        is_after = inside is not None and step == inside.step + 1
        legs.append(Leg(step, reasons[step], "signal" if is_inside else "stop", has_other_workers=is_after))
        if is_after:
            # Not in the last step before the next stop, where there is room: rows are then left to be cut.
            legs.append(Leg(step + (1 if step + 1 in reasons or step + 2 > steps else 2), (), "kill"))
    return [*legs, Leg(None)]


def nasty_splits(course: Course) -> list[Split]:
    """Return the splits that hurt most, in order of steps, each named once with all its reasons.

    First step, inside an epoch (a later one than the first, where there is one), an epoch boundary, right before and
    after an evaluation and a checkpoint, inside windows of gradients that span steps, and the last step. Only
    0 < k < steps: at the ends there is nothing to resume.
    """
    wanted: list[tuple[int, str]] = [(1, "after the first step"), (course.steps - 1, "before the last step")]
    wanted.append((_inside_an_epoch(course), INSIDE))
    wanted += _inside_windows(course)
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


def _inside_windows(course: Course) -> list[tuple[int, str]]:
    """Return a split inside the first window of gradients that spans steps, and one inside a later window."""
    held = [step for step in course.in_windows if 0 < step < course.steps]
    later = [step for step in held if step - 1 not in course.in_windows and step != held[0]]
    return [(step, "inside an accumulation window") for step in [*held[:1], *[step + 1 for step in later[:1]]]]


def _inside_an_epoch(course: Course) -> int:
    starts = [step for step in course.epoch_starts if step < course.steps] or [0]
    # The second epoch where there is one: a loader that forgets its epoch is right inside the first by accident.
    begin = starts[1] if len(starts) > 1 else starts[0]
    end = starts[2] if len(starts) > 2 else course.steps
    return (begin + end) // 2


def _first_inside(course: Course, steps: tuple[int, ...]) -> int | None:
    return next((step for step in sorted(steps) if 0 < step < course.steps), None)
