"""The verb `verify`: prove a run or a recipe in fresh processes, and write down what was proved.

What each check does is checks.py's, what it answers answer.py's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from samerun.base import files
from samerun.base.sealed import write_sealed
from samerun.errors import MissingError
from samerun.record import layout
from samerun.record.find import find_run
from samerun.record.project import runs_folder
from samerun.record.reader import RunRecord
from samerun.record.subject import is_recipe
from samerun.rerun.answer import Check, Verification, Wanted
from samerun.rerun.checks import Say, files_check, repeat_check, resume_check, train_whole
from samerun.rerun.made import CodeIsLost, Making, making_of_recipe, making_of_run
from samerun.rerun.untracked import untracked_of, with_untracked


def verify(
    subject: str | Path,
    *,
    files: bool = False,
    repeat: bool = False,
    resume: bool = False,
    steps: int | None = None,
    splits: Sequence[int] = (),
    settings: Sequence[str] = (),
    arguments: Sequence[str] = (),
    runs: Path | None = None,
    trust: bool = False,
    say: Say = lambda text: None,
) -> Verification:
    """Prove that a RUN or RECIPE is a function of its settings.

    Without a choice: `files` for a run, `repeat` and `resume` for a recipe. `steps` is how far each training goes
    (default: as far as the recipe or the run), `splits` where it is stopped (default: where it hurts). Trainings run in
    new processes with another hash seed, time zone, language and (for recipes) working directory, in a temporary folder
    beside the runs. A run is made again from its own source snapshot, which is code: where that is not the code that is
    here, `trust` is needed (RefusedError SR-VERIFY-003). Code stored without a secret is not run: `cannot_say`.
    The result for a run is written to its `verification.json`, where that may be written. `say` is told what is being
    done.
    """
    wanted = Wanted(files, repeat, resume, steps, tuple(splits))
    text = str(subject)
    place = runs_folder(runs)
    if is_recipe(text):
        first = making_of_recipe(text, settings, arguments)
        return _prove(text, wanted.settled(is_run=False), first, None, place, say)
    record = find_run(text, place)
    wish = wanted.settled(is_run=True)
    making = _making(record, trust) if wish.repeat or wish.resume else None
    found = _prove(record.folder.as_posix(), wish, making, record, record.folder.parent, say)
    try:
        _write(record, found)
    except MissingError as problem:
        # An archive that may only be read can be proved all the same.
        say(f"the answer is not kept with the run: {problem.what} ({'; '.join(problem.evidence)})")
    return found


def _making(record: RunRecord, trust: bool) -> Making | CodeIsLost:
    try:
        return making_of_run(record, trust=trust)
    except CodeIsLost as lost:
        return lost


def _prove(
    subject: str, wanted: Wanted, making: Making | CodeIsLost | None, record: RunRecord | None, place: Path, say: Say
) -> Verification:
    checks: list[Check] = []
    if wanted.files and record is not None:
        say("reading every file of the run")
        checks.append(files_check(record))
    if making is None or (checks and checks[0].verdict != "same"):
        return Verification(subject, tuple(checks))
    if isinstance(making, CodeIsLost):
        return Verification(subject, (*checks, *_unsaid(making, wanted)))
    with _workplace(place) as folder:
        whole = train_whole(making.prepared(folder), wanted, record, folder, say)
        if wanted.repeat:
            checks.append(repeat_check(whole, record, folder, say))
        if wanted.resume:
            say("looking for state that changes from step to step and is not saved")
            search = untracked_of(whole.making, folder / "untracked", whole.steps, whole.making.cwd)
            checks.append(with_untracked(resume_check(whole, wanted, folder, say), search))
    return Verification(subject, tuple(checks))


def _unsaid(lost: CodeIsLost, wanted: Wanted) -> Iterator[Check]:
    detail = f"{lost.what} ({'; '.join(lost.evidence)}): {lost.do}"
    if wanted.repeat:
        yield Check("repeat", "cannot_say", detail)
    if wanted.resume:
        yield Check("resume", "cannot_say", detail)


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
    document = {"schema": "samerun.verification", "format": layout.RUN_FORMAT, **found.as_json()}
    write_sealed(record.folder / layout.VERIFICATION, {**document, "subject": record.name})
