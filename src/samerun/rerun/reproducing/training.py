"""The run trained again in a fresh process and compared with the record, row by row and fact by fact."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final

from samerun.base.text import plural
from samerun.errors import SamerunError
from samerun.record.constraints import read_environment
from samerun.record.reader import RunRecord
from samerun.rerun.compared import Compared, compare
from samerun.rerun.reproducing.answer import Reproduction
from samerun.rerun.reproducing.choice import Job
from samerun.rerun.reproducing.making import PROJECT, Ready
from samerun.rerun.reproducing.source import repository_of
from samerun.rerun.reproducing.unmatched import (
    Unmatched,
    environment_differences,
    identity_differences,
    variable_differences,
)
from samerun.rerun.series import Series
from samerun.rerun.whole import Whole, has_rows, train_whole

RUNS: Final = "runs"
Say = Callable[[str], None]


def nothing_made(job: Job, summary: str, lost: tuple[Unmatched, ...] = ()) -> Reproduction:
    """Return the answer where no run could be made: nothing can be said, and nothing is kept."""
    return Reproduction(
        job.record.name,
        "cannot_say",
        summary,
        None,
        None,
        None,
        job.differences,
        lost,
        repository=repository_of(job.record),
    )


def train_and_compare(job: Job, ready: Ready, work: Path, steps: int | None, say: Say) -> Reproduction:
    """Train what is ready in `work`/project/runs, and say how it compares.

    A training that fails is an answer, too: it names the error, since what is missing here may be why.
    """
    assert ready.making is not None
    with closing(Series(ready.making, work / PROJECT, say, (ready.surroundings,))) as series:
        try:
            whole = train_whole(series, steps, job.record, place=RUNS)
        except SamerunError as error:
            evidence = f" ({'; '.join(error.evidence)})" if error.evidence else ""
            return nothing_made(
                job, f"it did not run again: {error.code}: {error.what}{evidence}", (*ready.packages, *ready.beside)
            )
    found = compare(job.record, whole.record, count=whole.steps if whole.stop_after is not None else None)
    unmatched = _unmatched(job, ready, whole.record)
    made = whole.record.folder.relative_to(work).as_posix()
    answer = Reproduction(
        job.record.name,
        found.verdict,
        found.summary,
        work,
        made,
        job.used,
        job.differences,
        unmatched,
        found.steps,
        found.first_difference,
        repository_of(job.record),
    )
    return replace(answer, summary=_summary(found, whole, unmatched))


def why_no_rows(record: RunRecord, steps: int | None) -> str | None:
    """Say why a run cannot be compared whatever comes out, None where it can. Raises DamageError."""
    return has_rows(record, steps)


def _unmatched(job: Job, ready: Ready, made: RunRecord) -> tuple[Unmatched, ...]:
    """List what is other in the new run than in the record; what was installed in the place of another stays named."""
    then, now = job.environment, read_environment(made)
    named = {one.name for one in ready.packages}
    found = [
        *(ready.packages if job.used == "built" else ()),
        *(one for one in environment_differences(then, now) if job.used == "present" or one.name not in named),
        *ready.beside,
        *identity_differences(job.record.identity, made.identity),
        *variable_differences(then.get("variables", {}), now.get("variables", {})),
    ]
    return tuple(dict.fromkeys(found))


def _summary(found: Compared, whole: Whole, unmatched: tuple[Unmatched, ...]) -> str:
    if not unmatched:
        return found.summary
    what = f"{plural(len(unmatched), 'thing')} could not be matched"
    return f"{found.summary}; {what}" + (", and the difference may come of it" if found.verdict == "different" else "")
