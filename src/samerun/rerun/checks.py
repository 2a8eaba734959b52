"""The three checks of `verify`: files against digests, the same training twice, and stops that are resumed twice.

Each returns what it found; which are made, and where, is verify.py's. How a training is started is made.py's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from samerun.base import files
from samerun.base.text import plural
from samerun.errors import UsageError
from samerun.judge.diff import diff
from samerun.judge.difference import Verdict
from samerun.judge.integrity import check_files
from samerun.record.reader import RunRecord
from samerun.rerun.answer import Check, CheckName, Wanted
from samerun.rerun.course import course_of
from samerun.rerun.made import Making
from samerun.rerun.splits import Split, merge, nasty_splits, second_stop

Say = Callable[[str], None]


def files_check(record: RunRecord) -> Check:
    """Read every file of a run against its digests."""
    problems = check_files(record)
    if not problems:
        return Check("files", "same", "every file is what was written")
    more = f" and {len(problems) - 1} more" if len(problems) > 1 else ""
    return Check("files", "different", f"{problems[0]}{more}")


@dataclass(frozen=True)
class Whole:
    """The uninterrupted run that the others are compared with, and how to make another like it."""

    making: Making
    record: RunRecord
    steps: int
    stop_after: int | None
    """Where it was stopped; null where it ran to its own end."""


def train_whole(making: Making, wanted: Wanted, record: RunRecord | None, folder: Path, say: Say) -> Whole:
    """Train once without a stop, as far as the recorded run or the wish says."""
    limit = wanted.steps if wanted.steps is not None else (None if record is None else course_of(record).steps)
    say("training once without a stop" + (f", {plural(limit, 'step')}" if limit is not None else ""))
    made = making.train(folder / "whole", 0, stop_after=limit)
    # The drawn seed, and a natural end before the limit, are known now: every further run gets both.
    making = making.with_seed(int(made.manifest.seed))
    steps = made.manifest.step
    return Whole(making, made, steps, limit if limit is not None and steps == limit else None)


def repeat_check(whole: Whole, record: RunRecord | None, folder: Path, say: Say) -> Check:
    """Compare the whole run with the record, or with a second one in another process."""
    if record is not None:
        return _against_record(record, whole)
    say("training again in another process")
    verdict = diff(whole.record, whole.making.train(folder / "again", 1, stop_after=whole.stop_after))
    return _check("repeat", verdict, "two fresh processes")


def _against_record(record: RunRecord, whole: Whole) -> Check:
    verdict = diff(record, whole.record)
    facts = verdict.sections["identity"]
    if verdict.verdict == "different" and facts:
        moved = ", ".join(f"{fact['group']}.{fact['path']}" for fact in facts[:3])
        detail = f"what is here is not what the run was made with ({moved}), and the numbers are others"
        return Check("repeat", "cannot_say", detail, verdict.first_difference, verdict.steps_compared)
    return _check("repeat", verdict, "the record and a fresh process")


def resume_check(whole: Whole, wanted: Wanted, folder: Path, say: Say) -> Check:
    """Stop at each split, resume, stop a step later, resume again, and compare with the whole run."""
    course = course_of(whole.record)
    cadence = None if course.checkpoints else max(2, whole.steps // 3)
    if cadence is not None:
        course = course.with_checkpoint(cadence)
    splits = _asked(wanted.splits, whole.steps) or nasty_splits(course)
    if not splits:
        return Check("resume", "cannot_say", f"{plural(whole.steps, 'step')}: there is no place to stop between them")
    compared = 0
    for number, split in enumerate(splits):
        say(f"stopping after step {split.step} ({', '.join(split.reasons)}), resuming twice")
        runs = folder / f"split-{split.step}"
        verdict = diff(whole.record, _stopped(whole, split, runs, number, cadence))
        compared += verdict.steps_compared
        if not verdict.is_same:
            where = f"stopped after step {split.step} ({', '.join(split.reasons)})"
            return Check("resume", verdict.verdict, f"{where}: {verdict.summary}", verdict.first_difference, compared)
        files.remove(runs)
    places = "; ".join(f"{split.step} {', '.join(split.reasons)}" for split in splits)
    return Check("resume", "same", f"{plural(len(splits), 'split')}, each resumed twice: {places}", None, compared)


def _asked(steps: tuple[int, ...], end: int) -> list[Split]:
    outside = [step for step in steps if not 0 < step < end]
    if outside:
        raise UsageError(
            "SR-VERIFY-002",
            f"there is no place to stop after step {outside[0]}",
            evidence=[f"the run has {plural(end, 'step')}: between them lie 1 to {end - 1}"],
            do="--split with steps inside the run, or more --steps",
        )
    return merge(((step, "as asked") for step in steps), end)


def _stopped(whole: Whole, split: Split, runs: Path, number: int, cadence: int | None) -> RunRecord:
    making = whole.making
    making.train(runs, number, stop_after=split.step, checkpoint_every=cadence)
    again = second_stop(split, whole.steps)
    if again is not None:
        making.train(runs, number + 1, stop_after=again, checkpoint_every=cadence)
    return making.train(runs, number + 2, stop_after=whole.stop_after, checkpoint_every=cadence)


def _check(name: CheckName, verdict: Verdict, what: str) -> Check:
    detail = f"{what}: {verdict.summary}"
    return Check(name, verdict.verdict, detail, verdict.first_difference, verdict.steps_compared)
