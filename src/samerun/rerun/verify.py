"""The verb `verify`: prove a run or a recipe in fresh processes, and write down what was proved.

Three proofs: files against their digests, the same run twice, and stops that are chosen to hurt, each resumed and then
resumed again. How a training is started in a child is made.py's, where it is stopped splits.py's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from samerun.base import files
from samerun.base.text import plural
from samerun.judge.diff import diff
from samerun.judge.difference import Answer, Difference, Verdict
from samerun.judge.integrity import check_files
from samerun.record import layout
from samerun.record.find import find_run
from samerun.record.project import runs_folder
from samerun.record.reader import RunRecord
from samerun.record.subject import is_recipe
from samerun.rerun.course import course_of
from samerun.rerun.made import Making, making_of_recipe, making_of_run
from samerun.rerun.splits import Split, merge, nasty_splits, second_stop

CheckName = Literal["files", "repeat", "resume"]
Say = Callable[[str], None]


@dataclass(frozen=True)
class Check:
    """One proof and what it found."""

    name: CheckName
    verdict: Answer
    detail: str
    first_difference: Difference | None = None
    steps_compared: int = 0

    def as_json(self) -> dict[str, Any]:
        """Give the fields that scripts may rely on."""
        first = self.first_difference
        return {
            "name": self.name,
            "verdict": self.verdict,
            "detail": self.detail,
            "first_difference": None if first is None else first.as_json(),
            "steps_compared": self.steps_compared,
        }


@dataclass(frozen=True)
class Verification:
    """All proofs that were asked for; the verdict is the worst of theirs."""

    subject: str
    checks: tuple[Check, ...]

    @property
    def verdict(self) -> Answer:
        """`different` if any check found a difference, else `cannot_say` if any could not say, else `same`."""
        found = {check.verdict for check in self.checks}
        if "different" in found:
            return "different"
        return "same" if found == {"same"} else "cannot_say"

    def as_json(self) -> dict[str, Any]:
        """Give the fields that scripts may rely on."""
        return {
            "subject": self.subject,
            "verdict": self.verdict,
            "checks": [check.as_json() for check in self.checks],
        }


@dataclass(frozen=True)
class Wanted:
    """Which proofs, and how far. Nothing named: `files` for a run, `repeat` and `resume` for a recipe."""

    files: bool = False
    repeat: bool = False
    resume: bool = False
    steps: int | None = None
    """Steps of each run; null is as many as the recipe or the run has."""
    splits: tuple[int, ...] = ()
    """Completed steps to stop after; empty chooses those that hurt."""

    def settled(self, is_run: bool) -> Wanted:
        """Return the wish with the defaults for a run or a recipe filled in."""
        if self.files or self.repeat or self.resume:
            return self
        return Wanted(is_run, not is_run, not is_run, self.steps, self.splits)


def verify(
    subject: str | Path,
    wanted: Wanted | None = None,
    *,
    settings: Sequence[str] = (),
    arguments: Sequence[str] = (),
    runs: Path | None = None,
    trust: bool = False,
    say: Say = lambda text: None,
) -> Verification:
    """Prove that a RUN or RECIPE is a function of its settings, as far as `wanted` asks.

    Trainings run in new processes with another hash seed, time zone, language and (for recipes) working directory, in
    a temporary folder beside the runs. A run is made again from its own source snapshot, which is code: where that is
    not the code that is here, `trust` is needed (RefusedError SR-VERIFY-003). The result for a run is written to its
    `verification.json`. `say` is told what is being done.
    """
    text = str(subject)
    place = runs_folder(runs)
    if is_recipe(text):
        first = making_of_recipe(text, settings, arguments)
        return _prove(text, (wanted or Wanted()).settled(is_run=False), first, None, place, say)
    record = find_run(text, place)
    wish = (wanted or Wanted()).settled(is_run=True)
    making = making_of_run(record, trust=trust) if wish.repeat or wish.resume else None
    found = _prove(record.folder.as_posix(), wish, making, record, record.folder.parent, say)
    _write(record, found)
    return found


def _prove(
    subject: str, wanted: Wanted, making: Making | None, record: RunRecord | None, place: Path, say: Say
) -> Verification:
    checks: list[Check] = []
    if wanted.files and record is not None:
        say("reading every file of the run")
        checks.append(_files(record))
    if making is None or (checks and checks[0].verdict != "same"):
        return Verification(subject, tuple(checks))
    with _workplace(place) as folder:
        whole = _whole(making.prepared(folder), wanted, record, folder, say)
        if wanted.repeat:
            checks.append(_repeat(whole, record, folder, say))
        if wanted.resume:
            checks.append(_resume(whole, wanted, folder, say))
    return Verification(subject, tuple(checks))


def _files(record: RunRecord) -> Check:
    problems = check_files(record)
    if not problems:
        return Check("files", "same", "every file is what was written")
    more = f" and {len(problems) - 1} more" if len(problems) > 1 else ""
    return Check("files", "different", f"{problems[0]}{more}")


@dataclass(frozen=True)
class _Whole:
    """The uninterrupted run that the others are compared with, and how to make another like it."""

    making: Making
    record: RunRecord
    steps: int
    stop_after: int | None
    """Where it was stopped; null where it ran to its own end."""


def _whole(making: Making, wanted: Wanted, record: RunRecord | None, folder: Path, say: Say) -> _Whole:
    limit = wanted.steps if wanted.steps is not None else (None if record is None else course_of(record).steps)
    say("training once without a stop" + (f", {plural(limit, 'step')}" if limit is not None else ""))
    made = making.train(folder / "whole", 0, stop_after=limit)
    # The drawn seed, and a natural end before the limit, are known now: every further run gets both.
    making = making.with_seed(int(made.manifest.seed))
    steps = made.manifest.step
    return _Whole(making, made, steps, limit if limit is not None and steps == limit else None)


def _repeat(whole: _Whole, record: RunRecord | None, folder: Path, say: Say) -> Check:
    if record is not None:
        return _against_record(record, whole)
    say("training again in another process")
    verdict = diff(whole.record, whole.making.train(folder / "again", 1, stop_after=whole.stop_after))
    return _check("repeat", verdict, "two fresh processes")


def _against_record(record: RunRecord, whole: _Whole) -> Check:
    verdict = diff(record, whole.record)
    facts = verdict.sections["identity"]
    if verdict.verdict == "different" and facts:
        moved = ", ".join(f"{fact['group']}.{fact['path']}" for fact in facts[:3])
        detail = f"what is here is not what the run was made with ({moved}), and the numbers are others"
        return Check("repeat", "cannot_say", detail, verdict.first_difference, verdict.steps_compared)
    return _check("repeat", verdict, "the record and a fresh process")


def _resume(whole: _Whole, wanted: Wanted, folder: Path, say: Say) -> Check:
    course = course_of(whole.record)
    cadence = None if course.checkpoints else max(2, whole.steps // 3)
    if cadence is not None:
        course = course.with_checkpoint(cadence)
    splits = merge(((step, "as asked") for step in wanted.splits), whole.steps) or nasty_splits(course)
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


def _stopped(whole: _Whole, split: Split, runs: Path, number: int, cadence: int | None) -> RunRecord:
    making = whole.making
    making.train(runs, number, stop_after=split.step, checkpoint_every=cadence)
    again = second_stop(split, whole.steps)
    if again is not None:
        making.train(runs, number + 1, stop_after=again, checkpoint_every=cadence)
    return making.train(runs, number + 2, stop_after=whole.stop_after, checkpoint_every=cadence)


def _check(name: CheckName, verdict: Verdict, what: str) -> Check:
    detail = f"{what}: {verdict.summary}"
    return Check(name, verdict.verdict, detail, verdict.first_difference, verdict.steps_compared)


@contextmanager
def _workplace(place: Path) -> Iterator[Path]:
    files.make_dir(place)
    # Absolute, since the children work in other folders.
    folder = files.hidden_sibling(place.absolute() / "verify")
    files.make_dir(folder, exclusive=True)
    try:
        yield folder
    finally:
        files.remove(folder)


def _write(record: RunRecord, found: Verification) -> None:
    from samerun.base.sealed import write_sealed

    document = {"schema": "samerun.verification", "format": layout.RUN_FORMAT, **found.as_json()}
    write_sealed(record.folder / layout.VERIFICATION, {**document, "subject": record.name})
