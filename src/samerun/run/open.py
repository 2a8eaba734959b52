"""Opening a run: which folder a start means, its lock, and a live `Run`.

A start finds the run it means (find.py), or makes a folder; whoever gets the lock writes it. What `samerun.start` takes
from a plain loop is in start.py; recipes come here through trainers/recipe.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from samerun.base.lock import RunLock, owner_facts
from samerun.checkpoint.store import list_steps
from samerun.errors import DamageError
from samerun.record import layout
from samerun.run.assemble import assemble
from samerun.run.fresh import Moved, take_over, write_fresh
from samerun.run.instant import Found, at_one_instant
from samerun.run.launch import LaunchOptions, note_opened
from samerun.run.opening import Opening
from samerun.run.run import Run
from samerun.run.session import Session
from samerun.run.whole import check_whole

__all__ = ["Opening", "open_run"]


def open_run(opening: Opening, options: LaunchOptions) -> Run:
    """Open the run that this start means, and return it with its lock held.

    Raises LockedError (exit 7) for a live run, RefusedError SR-RUN-016 (nothing to continue), SR-RUN-017 (the identity
    moved under `resume`) and SR-SOURCE-001 (a dirty tree), DamageError for a run folder that is not whole.
    """
    opening, found, seed = at_one_instant(opening, options)
    if found is not None:
        folder = found.record.folder
    else:
        id8 = opening.facts.identity(seed).id8
        folder = layout.create_run_folder(opening.runs, opening.name, id8, options.is_new)
    lock = RunLock(folder / layout.LOCK)
    lock.acquire(owner_facts())
    note_opened(folder)
    try:
        return _locked(folder, lock, opening, options, seed, found)
    except BaseException:
        lock.release()
        raise


def _locked(
    folder: Path,
    lock: RunLock,
    opening: Opening,
    options: LaunchOptions,
    seed: int,
    found: Found | None,
) -> Run:
    """Under the lock: write a fresh folder, or take over an old one; then put the live run together."""
    checkpoints = list_steps(folder / layout.CHECKPOINTS)
    around: Sequence[Moved] = ()
    if (folder / layout.MANIFEST).exists():
        check_whole(folder, is_fallback=options.is_fallback)
        manifest, identity, around = take_over(folder, opening, found)
    elif checkpoints:
        raise DamageError(
            "SR-RUN-019",
            f"{folder.name}: manifest.json is missing beside checkpoints",
            evidence=[f"folder: {folder}"],
            do="restore manifest.json, or move the folder away and start again",
        )
    else:
        manifest, identity = write_fresh(folder, opening, seed)
    session = Session(
        folder, identity, manifest, lock, opening.source, is_resumed=bool(checkpoints), is_quiet=options.is_quiet
    )
    if session.is_resumed:
        session.tell_moved_around(around)
    return assemble(session, opening, options)
