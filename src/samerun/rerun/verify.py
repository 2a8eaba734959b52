"""The verb `verify`: prove a run or a recipe in fresh processes, and write down what was proved.

What each check does is checks.py's, chain.py's and neutral.py's; in which order, and on what they stand, proof.py's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from samerun.base import clock
from samerun.base.sealed import write_sealed
from samerun.errors import LockedError, MissingError
from samerun.record import layout
from samerun.record.find import find_run
from samerun.record.project import runs_folder
from samerun.record.reader import RunRecord
from samerun.record.subject import is_recipe
from samerun.rerun.answer import CHECKS, TRAINS_NOTHING, Verification, Wanted
from samerun.rerun.proof import Proof
from samerun.rerun.series import Say
from samerun.rerun.workplace import workplace


def verify(
    subject: str | Path,
    *,
    files: bool = False,
    repeat: bool = False,
    resume: bool = False,
    neutral: bool = False,
    here: bool = False,
    portable: bool = False,
    everything: bool = False,
    steps: int | None = None,
    splits: Sequence[int] = (),
    settings: Sequence[str] = (),
    arguments: Sequence[str] = (),
    runs: Path | None = None,
    trust: bool = False,
    say: Say = lambda text: None,
) -> Verification:
    """Prove that a RUN or RECIPE is a function of its settings.

    Without a choice: `files` for a run, `repeat` and `resume` for a recipe; `everything` is all that applies. `steps`
    is how far each training goes (default: as far as the recipe or the run), `splits` where it is stopped (default:
    where it hurts). Trainings run in new processes in other surroundings, in a temporary folder beside the runs.

    A run is made again from its own source snapshot, which is code: where that is not the code that is here, `trust`
    is needed (RefusedError SR-VERIFY-003); `here` takes the code that is here. Code stored without a secret is not
    run: `cannot_say`. The result for a run is written to its `verification.json`, where that may be written. Raises
    LockedError for a live run. `say` is told what is being done.
    """
    flags = zip(CHECKS, (files, repeat, resume, neutral, portable, here), strict=True)
    wanted = Wanted(tuple(name for name, is_wanted in flags if is_wanted), steps, tuple(splits))
    text = str(subject)
    place = runs_folder(runs)
    if is_recipe(text):
        wish = wanted.settled(is_run=False, everything=everything)
        with _workplace(place, wish) as folder, closing(Proof(wish, folder, say)) as proof:
            return Verification(text, proof.of_recipe(text, settings, arguments))
    record = _settled(find_run(text, place))
    wish = wanted.settled(is_run=True, everything=everything)
    with _workplace(record.folder.parent, wish) as folder, closing(Proof(wish, folder, say)) as proof:
        found = Verification(record.folder.as_posix(), proof.of_run(record, trust=trust))
    try:
        _write(record, found)
    except MissingError as problem:
        # An archive that may only be read can be proved all the same.
        say(f"the answer is not kept with the run: {problem.what} ({'; '.join(problem.evidence)})")
    return found


def _settled(record: RunRecord) -> RunRecord:
    if record.is_live:
        raise LockedError(
            "SR-VERIFY-005",
            f"{record.name} is live",
            evidence=[f"folder: {record.folder}"],
            do="wait for it to end, or stop it; then verify it",
        )
    return record


@contextmanager
def _workplace(place: Path, wish: Wanted) -> Iterator[Path]:
    if set(wish.checks) <= TRAINS_NOTHING:
        yield place / "verify"  # never made
        return
    with workplace(place, "verify") as folder:
        yield folder


def _write(record: RunRecord, found: Verification) -> None:
    manifest = record.manifest
    document = {
        "schema": "samerun.verification",
        "format": layout.RUN_FORMAT,
        **found.as_json(),
        "subject": record.name,
        "date": clock.utc_now(),
        "steps": found.steps,
        # What was proved: a later process may add to the run, and its manifest then says otherwise.
        "run": {
            "identity": manifest.identity,
            "step": manifest.step,
            "state_digest": manifest.state_digest,
            "logs": {name: mark.as_json() for name, mark in manifest.logs.items()},
        },
    }
    write_sealed(record.folder / layout.VERIFICATION, document)
