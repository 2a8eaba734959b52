"""The verb `gc`: what can go without losing a run. Looks first; deletes only when told to, and only under a run's lock.

Which checkpoints of a run may go is checkpoint/retain.py's decision. Metrics, trails, attempts and the digests of
deleted checkpoints always stay.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from samerun.base import clock, files
from samerun.base.lock import RunLock, owner_facts
from samerun.checkpoint.retain import RetentionPolicy, decide, retain
from samerun.checkpoint.store import find, list_rubble, list_steps, sweep_rubble
from samerun.errors import DamageError, LockedError, MissingError
from samerun.record import layout
from samerun.record.find import find_runs
from samerun.record.project import runs_folder
from samerun.record.reader import RunRecord, is_run_folder
from samerun.record.show import size_of

UNBEGUN_SECONDS: Final = 3600.0
"""A folder without a manifest may be a run that is just being started; after this long it is not."""
_OWNER: Final = re.compile(r"\.(?P<pid>[0-9]+)-[0-9]+\.tmp$")


@dataclass(frozen=True)
class Leftover:
    """One thing that can go."""

    kind: Literal["checkpoint", "temporary", "unbegun"]
    path: Path
    size_bytes: int
    run: str | None
    """Name of the run folder it lies in."""


@dataclass(frozen=True)
class Collected:
    """What was found, and whether it was deleted."""

    runs: Path
    found: tuple[Leftover, ...]
    is_deleted: bool
    skipped: tuple[str, ...]
    """Runs that were left alone, with the reason."""

    @property
    def size_bytes(self) -> int:
        """Bytes of everything found."""
        return sum(one.size_bytes for one in self.found)


def gc(runs: Path | None = None, *, keep: int | None = None, delete: bool = False) -> Collected:
    """Find old checkpoints and what killed processes left behind, and delete them if `delete` says so.

    A run's own retention decides which checkpoints are old; `keep` keeps only so many of the newest instead. Step 0,
    the best and pinned checkpoints and those at multiples of `keep_every` always stay. Runs that are live or damaged
    are left alone and named.
    """
    place = runs_folder(runs)
    found = list(_beside_runs(place))
    skipped: list[str] = []
    for record in find_runs(place):
        try:
            found += _collect(record, keep, delete)
        except (DamageError, MissingError) as problem:
            skipped.append(f"{record.name}: {problem.what}")
        except LockedError:
            skipped.append(f"{record.name}: it is live")
    if delete:
        for one in found:
            if one.run is None:
                files.remove(one.path)
    return Collected(place, tuple(found), delete, tuple(skipped))


def _beside_runs(place: Path) -> Iterator[Leftover]:
    if not place.is_dir():
        return
    for entry in sorted(place.iterdir()):
        if files.is_rubble(entry.name) and not _has_live_owner(entry.name):
            yield Leftover("temporary", entry, size_of(entry), None)
        elif layout.split_folder_name(entry.name) and _is_unbegun(entry):
            yield Leftover("unbegun", entry, size_of(entry), None)


def _has_live_owner(name: str) -> bool:
    owner = _OWNER.search(name)
    if owner is None:
        return True
    try:
        os.kill(int(owner["pid"]), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _is_unbegun(folder: Path) -> bool:
    if not folder.is_dir() or is_run_folder(folder) or list_steps(folder / layout.CHECKPOINTS):
        return False
    return clock.wall() - folder.stat().st_mtime > UNBEGUN_SECONDS


def _collect(record: RunRecord, keep: int | None, delete: bool) -> list[Leftover]:
    if record.is_live:
        raise LockedError("SR-GC-001", f"{record.name} is live", do="wait for it to end")
    # Both, before anything goes: a damaged record is somebody's evidence.
    policy, protected = _policy(record, keep), _protected(record)
    folder = record.folder / layout.CHECKPOINTS
    with _locked(record, delete):
        decision = decide(list_steps(folder), policy, **protected)
        found = [_checkpoint(folder, step, record.name) for step in decision.delete]
        found += [Leftover("temporary", path, size_of(path), record.name) for path in _rubble(record.folder, folder)]
        if delete:
            retain(folder, policy, **protected)
            sweep_rubble(folder)
            for one in found:
                if one.kind == "temporary":
                    files.remove(one.path)
    return found


@contextmanager
def _locked(record: RunRecord, delete: bool) -> Iterator[None]:
    if not delete:
        yield
        return
    lock = RunLock(record.folder / layout.LOCK)
    lock.acquire(owner_facts())
    try:
        yield
    finally:
        lock.release()


def _policy(record: RunRecord, keep: int | None) -> RetentionPolicy:
    table = record.config.values.get("checkpoint")
    own: dict[str, Any] = dict(table) if isinstance(table, dict) else {}
    known = {name: own[name] for name in ("keep", "keep_every", "keep_weights") if isinstance(own.get(name), int)}
    if keep is None:
        return RetentionPolicy(**known)
    return RetentionPolicy(**{**known, "keep": keep, "is_thinning": False})


def _protected(record: RunRecord) -> dict[str, Any]:
    best = record.manifest.best.get("step")
    return {"best": best if isinstance(best, int) else None, "pinned": record.marks.pins}


def _checkpoint(folder: Path, step: int, run: str) -> Leftover:
    path = find(folder, step).path
    return Leftover("checkpoint", path, size_of(path), run)


def _rubble(run: Path, checkpoints: Path) -> list[Path]:
    beside = [entry for entry in sorted(run.iterdir()) if files.is_rubble(entry.name)]
    return [*beside, *list_rubble(checkpoints)]
