"""The check `resume`: one chain of processes that stops at every split, resumes, and must be the uninterrupted run.

The chain makes each step once, and every one is compared. Where it differs, single splits are made alone to name the
one that does it. Where to stop is splits.py's choice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from samerun.base.text import plural
from samerun.errors import UsageError
from samerun.record.progress import progress_of
from samerun.rerun.answer import Case, Check
from samerun.rerun.compared import Compared, compare
from samerun.rerun.course import course_of
from samerun.rerun.resuming import Resuming, resuming_of
from samerun.rerun.series import Series
from samerun.rerun.splits import ASKED, Leg, Split, legs_of, merge, nasty_splits
from samerun.rerun.whole import Whole, compare_all

CHAIN = "chain"
BLAMED = 6
"""How many splits are made alone, at most, to find the one that differs."""


def resume_check(series: Series, whole: Whole, splits: Sequence[int], *, fresh: Callable[[], Whole]) -> Check:
    """Stop at each split, resume, stop a step later, resume again, to the end, and compare with the whole run.

    Where that run is the record, and the chain differs from it, `fresh` makes one with what is here: only then is it
    the resume that differs.
    """
    course = course_of(whole.record, whole.until)
    cadence = None if course.checkpoints else max(2, whole.steps // 3)
    if cadence is not None:
        course = course.with_checkpoint(cadence)
    chosen = asked(splits, whole.steps) or nasty_splits(course)
    if not chosen:
        return Check("resume", "cannot_say", f"{plural(whole.steps, 'step')}: there is no place to stop between them")
    settings = () if cadence is None else (f"checkpoint.every={cadence}",)
    resuming = resuming_of(series, whole, settings)
    legs = list(_run(resuming, legs_of(chosen, whole.steps)))
    found = compare_all(whole, series.runs_of(CHAIN))
    if not found.is_same and whole.is_recorded:
        resuming = replace(resuming, whole=fresh())
        found = compare_all(resuming.whole, series.runs_of(CHAIN))
    if found.is_same:
        return _same(resuming, legs, found)
    where, guilty = _blame(resuming, legs, found)
    return Check.of("resume", guilty, where, _rests_on(resuming, legs))


def _same(resuming: Resuming, legs: Sequence[Leg], found: Compared) -> Check:
    stops = [leg for leg in legs if leg.stop is not None]
    brief = f"{plural(len(stops), 'stop')}, every step after each compared"
    detail = f"{brief}: {'; '.join(map(str, stops))}"
    steps = resuming.whole.steps
    cases = tuple(Case(str(leg), "same", resuming.workers_of(leg), steps - (leg.stop or 0)) for leg in stops)
    rests_on = _rests_on(resuming, legs)
    return Check("resume", "same", detail, None, found.steps, rests_on, found.components, cases, brief=brief)


def _rests_on(resuming: Resuming, legs: Sequence[Leg]) -> str:
    chain = f"a chain of {plural(len(legs), 'process', 'processes')}{resuming.series.forked()}"
    return f"{resuming.whole.what} and {chain}: {resuming.series.surroundings()}"


def asked(steps: Sequence[int], end: int) -> list[Split]:
    """Return the splits that were asked for. Raises UsageError SR-VERIFY-002 for one outside the run."""
    outside = [step for step in steps if not 0 < step < end]
    if outside:
        raise UsageError(
            "SR-VERIFY-002",
            f"there is no place to stop after step {outside[0]}",
            evidence=[f"the run has {plural(end, 'step')}: between them lie 1 to {end - 1}"],
            do="--split with steps inside the run, or more --steps",
        )
    return merge(((step, ASKED) for step in steps), end)


def _run(resuming: Resuming, legs: Sequence[Leg]) -> Iterator[Leg]:
    """Run the chain; yield the legs that were really gone (a signal may be seen a step late)."""
    at = 0
    for number, leg in enumerate(legs):
        if leg.stop is not None and leg.stop <= at:
            continue
        at_stage = f"resume, {number + 1} of {len(legs)}"
        resuming.series.say(f"{at_stage}: {'going on to the end' if leg.stop is None else f'stopping: {leg}'}")
        at = progress_of(resuming.go(CHAIN, number, leg)).step
        yield leg


def _blame(resuming: Resuming, legs: Sequence[Leg], found: Compared) -> tuple[str, Compared]:
    """Name the split behind a difference, by making the likely ones alone, the last one first."""
    whole, first = resuming.whole, found.first_difference
    stops = [leg for leg in legs if leg.stop is not None]
    chain = f"in one chain of stops after steps {', '.join(str(leg.stop) for leg in stops)}"
    if first is None or len(whole.runs) > 1:
        return chain, found
    before = [leg for leg in stops if leg.stop is not None and leg.stop <= max(first.step, 1)]
    for leg in before[: -BLAMED - 1 : -1]:
        assert leg.stop is not None
        end = min(whole.steps, max(first.step, leg.stop) + 1)
        resuming.series.say(f"stopping only once, to see whether that is the one: {leg}")
        name = f"alone-{leg.stop}-{leg.kind}"
        resuming.go(name, 0, leg)
        alone = resuming.go(name, 1, Leg(end if end < whole.steps else None))
        verdict = compare(whole.record, alone, count=end)
        if not verdict.is_same:
            return _spelled(leg), verdict
    return chain, found


def _spelled(leg: Leg) -> str:
    if leg.kind == "kill":
        return str(leg)
    how = (*leg.reasons, "by a signal inside its step") if leg.kind == "signal" else leg.reasons
    return f"stopped after step {leg.stop} ({', '.join(how)})"
