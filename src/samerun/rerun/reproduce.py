"""The verb `reproduce`: a recorded run made again in a new folder, from its own source and packages, and compared.

The folder appears at the end, whole or not at all. The original project is only read, the user's environment only used.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from samerun.errors import LockedError, UsageError
from samerun.record.find import find_run
from samerun.record.project import runs_folder
from samerun.record.reader import RunRecord
from samerun.rerun.reproducing.answer import Reproduction, ReproductionPlan
from samerun.rerun.reproducing.choice import Job, choose
from samerun.rerun.reproducing.making import make_ready
from samerun.rerun.reproducing.preview import preview
from samerun.rerun.reproducing.publishing import publish
from samerun.rerun.reproducing.training import nothing_made, train_and_compare, why_no_rows
from samerun.rerun.workplace import workplace

Say = Callable[[str], None]


def reproduce(
    run: str | Path,
    *,
    folder: Path | None = None,
    steps: int | None = None,
    here: bool = False,
    fresh_environment: bool = False,
    offline: bool = False,
    trust: bool = False,
    data: Path | None = None,
    runs: Path | None = None,
    say: Say = lambda text: None,
) -> Reproduction:
    """Make a recorded run again in the new folder `folder`, and compare it with the record.

    Its source is restored there; where the present environment is not the recorded one, a virtual environment is built
    (`here` takes the present one all the same, `fresh_environment` builds in any case). It runs in a fresh process, as
    far as the record or `steps` goes. Data stays where the run found it, or lies in `data`. Without `folder`:
    `reproduced-NAME` in the current folder.

    The answer stands in its reproduction.json. Raises RefusedError SR-REPRODUCE-003 and 004 where code or packages of
    a foreign run would be used without `trust`, 005 where `offline` forbids building; UsageError 002 for a folder that
    is there; MissingError where an environment cannot be built; LockedError 001 for a live run.
    """
    record = _settled(find_run(str(run), runs_folder(runs)))
    target = _target(record, folder)
    job = choose(record, here=here, fresh_environment=fresh_environment, offline=offline, trust=trust)
    why = why_no_rows(record, steps)
    if why is not None:
        return nothing_made(job, why)
    # Without links, since children work in other folders and find their own files below it.
    with workplace(target.absolute().parent.resolve(), target.absolute().name) as work:
        ready = make_ready(job, work, data, say)
        if ready.making is None:
            return nothing_made(job, "the run cannot be made again: something of it is not here", ready.lost)
        answer = train_and_compare(job, ready, work, steps, say)
        return answer if answer.folder is None else publish(answer, work, target)


def plan_reproduction(
    run: str | Path,
    *,
    folder: Path | None = None,
    steps: int | None = None,
    here: bool = False,
    fresh_environment: bool = False,
    offline: bool = False,
    trust: bool = False,
    data: Path | None = None,
    runs: Path | None = None,
) -> ReproductionPlan:
    """Say what `reproduce` would do, with sizes. Nothing is written; raises what it would."""
    record = _settled(find_run(str(run), runs_folder(runs)))
    target = _target(record, folder)
    return preview(_job(record, here, fresh_environment, offline, trust), target, steps, data)


def _job(record: RunRecord, here: bool, fresh_environment: bool, offline: bool, trust: bool) -> Job:
    return choose(record, here=here, fresh_environment=fresh_environment, offline=offline, trust=trust)


def _settled(record: RunRecord) -> RunRecord:
    if record.is_live:
        raise LockedError(
            "SR-REPRODUCE-001",
            f"{record.name} is live",
            evidence=[f"folder: {record.folder}"],
            do="wait for it to end, or stop it; then reproduce it",
        )
    return record


def _target(record: RunRecord, folder: Path | None) -> Path:
    """Return the folder to make, which must not be there with anything in it."""
    target = Path(f"reproduced-{record.name}") if folder is None else folder
    is_free = not any(target.iterdir()) if target.is_dir() else not target.exists() and not target.is_symlink()
    if not is_free:
        raise UsageError(
            "SR-REPRODUCE-002",
            f"{target.as_posix()} is there already",
            evidence=["a reproduction is made in a new folder"],
            do="name another one with --in FOLDER, or move it away",
        )
    return target
