"""The uninterrupted run that every check of a proof compares with: made once in a process of its own, or the record.

How a training is started is series.py's work; what is compared, the checks' own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from samerun.base.text import plural
from samerun.record import layout
from samerun.record.manifest import Status
from samerun.record.reader import RunRecord
from samerun.rerun.compared import Compared, compare
from samerun.rerun.course import course_of
from samerun.rerun.made import Order
from samerun.rerun.series import Series

WHOLE = "whole"


@dataclass(frozen=True)
class Whole:
    """`runs` are all that one process made, in order; `record` is the one that is meant (a script may make several)."""

    runs: tuple[RunRecord, ...]
    record: RunRecord
    steps: int
    stop_after: int | None
    """Where it was stopped; null where it ran to its own end."""
    is_recorded: bool = False
    """Whether it is the recorded run itself."""
    until: int | None = None
    """How many of its first steps count, where the record goes further."""

    @property
    def number(self) -> int:
        """Which of the runs is meant, from 1."""
        return 1 + [run.folder for run in self.runs].index(self.record.folder)

    @property
    def what(self) -> str:
        """Name it for an answer."""
        if self.is_recorded:
            return "the record"
        of = f", the run {self.record.manifest.name!r} of {len(self.runs)}" if len(self.runs) > 1 else ""
        return f"an uninterrupted run in a process of its own{of}"


def train_whole(series: Series, steps: int | None, record: RunRecord | None, *, place: str = WHOLE) -> Whole:
    """Train once without a stop, as far as the recorded run or the wish says, with the runs in the series' `place`."""
    limit = steps
    if record is not None and (steps is not None or not _ends_by_itself(series, record)):
        recorded = course_of(record).steps
        limit = recorded if steps is None else min(steps, recorded)
    series.say("training once without a stop" + (f", {plural(limit, 'step')}" if limit is not None else ""))
    series.train(place, 0, Order(stop_after=limit))
    runs = tuple(series.runs_of(place))
    meant = meant_of(runs, record)
    if len(runs) == 1 or not series.making.runs_script:
        # The drawn seed is known now: every further run gets it. Several runs of one script have seeds of their own.
        series.making = series.making.with_seed(int(meant.manifest.seed))
    steps_made = meant.manifest.step
    return Whole(runs, meant, steps_made, limit if limit is not None and steps_made == limit else None)


def whole_of(record: RunRecord, series: Series, steps: int | None) -> Whole | None:
    """Return the record itself as the whole run, where it can stand for one: null where it must be made again.

    It can where one process made it from a recipe, and its trail holds the state of every step.
    """
    course = course_of(record)
    limit = course.steps if steps is None else min(steps, course.steps)
    is_whole = record.manifest.attempt == 1 and all(row["state"] is not None for row in record.trail())
    if series.making.runs_script or not is_whole or not limit or record.manifest.parent is not None:
        return None
    until = None if limit == course.steps else limit
    return Whole((record,), record, limit, limit, is_recorded=True, until=until)


def compare_all(whole: Whole, made: Sequence[RunRecord]) -> Compared:
    """Compare each run of a process with its twin of the whole; the first that differs is the answer."""
    if whole.is_recorded:
        return compare(whole.record, made[-1], count=whole.until)
    names, others = ([run.manifest.name for run in runs] for runs in (whole.runs, made))
    if len(names) != len(others):
        summary = f"one process made the runs {', '.join(names)}, the other {', '.join(others)}"
        return Compared("different", summary)
    answers = [compare(one, twin) for one, twin in zip(whole.runs, made, strict=True)]
    for name, found in zip(names, answers, strict=True):
        if not found.is_same:
            return replace(found, summary=f"run {name}: {found.summary}") if len(names) > 1 else _seeded(found)
    return answers[whole.number - 1]


def meant_of(runs: Sequence[RunRecord], record: RunRecord | None) -> RunRecord:
    """Return the run that has the name of `record`, else the last one."""
    wanted = None if record is None else record.manifest.name
    return next((run for run in reversed(runs) if run.manifest.name == wanted), runs[-1])


def has_rows(record: RunRecord, steps: int | None) -> str | None:
    """Say why the first `steps` rows (null: all) cannot be compared, null where they can. Raises DamageError."""
    counts = {name: sum(1 for _ in record.bodies(name)) for name in (layout.METRICS, layout.TRAIL)}
    if not counts[layout.TRAIL]:
        return "the record holds no step"
    if steps is not None and steps <= min(counts.values()):
        return None
    if counts[layout.TRAIL] != counts[layout.METRICS]:
        rows = f"its trail has {plural(counts[layout.TRAIL], 'row')} and its metrics {counts[layout.METRICS]}"
        return f"{rows}: go on with it (samerun resume), or compare its first steps (--steps N)"
    return None


def _seeded(found: Compared) -> Compared:
    if found.facts != ("experiment.seed",):
        return found
    return replace(found, verdict="cannot_say", summary="each process drew another master seed: give the script one")


def _ends_by_itself(series: Series, record: RunRecord) -> bool:
    return series.making.runs_script and record.manifest.status is Status.COMPLETED
