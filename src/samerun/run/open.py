"""Opening a run: from settings and facts to a folder, a lock and a live `Run`.

A start finds the run it means (find.py), or makes a folder; whoever gets the lock writes it. What `samerun.start` takes
from a plain loop is in start.py; recipes come here through trainers/recipe.py.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from samerun.base import clock, files
from samerun.base.lock import RunLock, owner_facts
from samerun.base.sealed import write_sealed
from samerun.checkpoint.store import list_checkpoints
from samerun.errors import DamageError, RefusedError
from samerun.record import layout
from samerun.record.environment import write_environment
from samerun.record.identity import Identity, Moved, refused, write_identity
from samerun.record.manifest import Entry, Manifest, Parent, Segment, read_manifest, write_manifest
from samerun.record.reader import RunRecord
from samerun.record.resolved import ResolvedConfig, write_config
from samerun.record.source import Source, write_source
from samerun.run.find import Facts, Found, compare, runs_named
from samerun.run.hooks import Hooks
from samerun.run.launch import LaunchOptions, note_opened
from samerun.run.lifecycle import StopSwitch, limit_from
from samerun.run.policy import SavePolicy
from samerun.run.run import Run
from samerun.run.saving import Saving
from samerun.run.session import Session
from samerun.run.settle import Settler, Sources
from samerun.run.sinks import Sink, console_sink
from samerun.run.tracked import Tracked
from samerun.streams.derive import draw_seed
from samerun.streams.stream import StreamSource

SCHEDULER_END = "SLURM_JOB_END_TIME"
"""Where a batch scheduler exports the end of the job, in Unix seconds."""


@dataclass(frozen=True)
class Opening:
    """All that decides what a run is and how it is watched, before a folder is chosen."""

    name: str
    runs: Path
    facts: Facts
    config: ResolvedConfig
    source: Source
    entry: Entry
    policy: SavePolicy
    submitted: bytes | None = None
    steps: int | None = None
    tier: str = "exact"
    exact_except: tuple[str, ...] = ()
    parent: Parent | None = None
    grade: str = "full"
    sinks: Sequence[Sink] = ()
    local: Mapping[str, str] = field(default_factory=dict)
    """Absolute paths of this machine, for `resume`; kept in local.json, which never leaves it."""


def open_run(opening: Opening, options: LaunchOptions) -> Run:
    """Open the run that this start means, and return it with its lock held.

    Raises LockedError (exit 7) for a live run, RefusedError SR-RUN-016 (nothing to continue) and SR-RUN-017 (the
    identity moved under `resume`), DamageError for a run folder that is not whole.
    """
    files.make_dir(opening.runs)
    found = _found(opening, options)
    seed = _seed(opening.facts, found)
    identity = opening.facts.identity(seed)
    if found is not None:
        folder = found.record.folder
    else:
        folder = layout.create_run_folder(opening.runs, opening.name, identity.id8, options.is_new)
    lock = RunLock(folder / layout.LOCK)
    lock.acquire(owner_facts())
    note_opened(folder)
    try:
        return _locked(folder, lock, opening, options, identity, seed, found)
    except BaseException:
        lock.release()
        raise


def _found(opening: Opening, options: LaunchOptions) -> Found | None:
    """Find the run to go on with, if there is one; say what moved when only another identity of this name exists."""
    if options.run_folder is not None:
        found = compare(RunRecord.open(options.run_folder), opening.facts)
        _refuse_moved(found, options)
        return found
    if options.is_new:
        return None
    others = [compare(record, opening.facts) for record in runs_named(opening.runs, opening.name)]
    same = [found for found in others if not found.differences]
    if same:
        return same[0]
    if options.continue_only:
        raise RefusedError(
            "SR-RUN-016",
            f"there is no run '{opening.name}' of this identity to continue",
            evidence=_lines(others[0].differences) if others else [f"no run of this name in {opening.runs}"],
            do="leave --continue-only out to begin at step 0",
        )
    if others and not options.is_quiet:
        _tell_moved(others[0])
    return None


def _refuse_moved(found: Found, options: LaunchOptions) -> None:
    left = refused(found.differences, options.allow_drift)
    if left:
        groups = sorted({one.drift_group for one in left if one.drift_group is not None})
        is_coverable = all(one.drift_group is not None for one in left)
        raise RefusedError(
            "SR-RUN-017",
            f"{found.record.name}: the identity moved in {len(left)} field(s)",
            evidence=_lines(left),
            do=f"samerun resume {found.record.folder} --allow-drift {','.join(groups)}"
            if is_coverable
            else "put it back, or start a new run: its settings make it another experiment",
        )


def _tell_moved(found: Found) -> None:
    one = found.differences[0]
    more = f" and {len(found.differences) - 1} more" if len(found.differences) > 1 else ""
    sys.stderr.write(
        f"samerun: a new run, since {one.name} moved from {one.old!r} to {one.new!r}{more}; "
        f"the old one: samerun resume {found.record.folder}\n"
    )


def _lines(differences: Sequence[Moved]) -> list[str]:
    return [f"{one.name}: {one.old!r} in the run, {one.new!r} now" for one in differences]


def _seed(facts: Facts, found: Found | None) -> int:
    if facts.seed is not None:
        return facts.seed
    return found.seed if found is not None else draw_seed()


def _locked(
    folder: Path,
    lock: RunLock,
    opening: Opening,
    options: LaunchOptions,
    identity: Identity,
    seed: int,
    found: Found | None,
) -> Run:
    """Under the lock: write a fresh folder, or take over an old one; then put the live run together."""
    checkpoints = folder / layout.CHECKPOINTS
    is_fresh = not (folder / layout.MANIFEST).exists()
    if is_fresh:
        if (folder / layout.IDENTITY).exists() and list_checkpoints(checkpoints):
            raise DamageError(
                "SR-RUN-019",
                f"{folder.name}: manifest.json is missing beside checkpoints",
                evidence=[f"folder: {folder}"],
                do="restore manifest.json, or move the folder away and start again",
            )
        manifest = _write_fresh(folder, opening, identity, seed)
    else:
        manifest = read_manifest(folder)
        identity = RunRecord.open(folder).identity
        manifest = _next_attempt(folder, manifest, identity, opening, found)
    is_resumed = bool(list_checkpoints(checkpoints))
    session = Session(folder, identity, manifest, lock, opening.source, is_resumed=is_resumed)
    return _live(session, opening, options, seed)


def _write_fresh(folder: Path, opening: Opening, identity: Identity, seed: int) -> Manifest:
    """Write every document of a new run; the manifest last, since its presence makes the folder a run."""
    for name in (layout.CHECKPOINTS, layout.EVALUATIONS, layout.ATTEMPTS):
        files.make_dir(folder / name)
    write_config(folder, opening.config, opening.submitted)
    write_source(folder, opening.source)
    write_environment(folder, opening.source.root)
    write_sealed(folder / layout.LOCAL, {"schema": "samerun.local", "format": 1, **opening.local})
    write_identity(folder, identity)
    now = clock.utc_now()
    manifest = Manifest(
        name=opening.name,
        identity=identity.id,
        opening=identity.id,
        entry=opening.entry,
        created=now,
        updated=now,
        steps=opening.steps,
        seed=str(seed),
        tier=opening.tier,
        exact_except=opening.exact_except,
        parent=opening.parent,
        grade=opening.grade,
        segments=(Segment(0, 0, identity.id, identity.platform_digest),),
        samerun=_version(),
    )
    # ORDER: the manifest is written last; a folder without it is a run that has not begun.
    write_manifest(folder, manifest)
    return manifest


def _next_attempt(
    folder: Path, manifest: Manifest, identity: Identity, opening: Opening, found: Found | None
) -> Manifest:
    manifest = replace(manifest, attempt=manifest.attempt + 1, updated=clock.utc_now())
    if found is not None and found.differences:
        manifest = _drifted(folder, manifest, opening, found)
    write_manifest(folder, manifest)
    write_sealed(folder / layout.LOCAL, {"schema": "samerun.local", "format": 1, **opening.local})
    return manifest


def _drifted(folder: Path, manifest: Manifest, opening: Opening, found: Found) -> Manifest:
    """Begin a new segment under the facts of now, and write down what moved."""
    now = opening.facts.identity(found.seed)
    segment = Segment(
        number=len(manifest.segments),
        from_step=manifest.step,
        identity=now.id,
        platform_digest=now.platform_digest,
        drift=tuple(one.name for one in found.differences),
    )
    path = folder / layout.DRIFT
    earlier = RunRecord.open(folder).document(layout.DRIFT)["segments"] if path.exists() else []
    entry = {"number": segment.number, "moved": [one.as_json() for one in found.differences]}
    write_sealed(path, {"schema": "samerun.drift", "format": 1, "segments": [*earlier, entry]})
    return replace(manifest, segments=(*manifest.segments, segment))


def _live(session: Session, opening: Opening, options: LaunchOptions, seed: int) -> Run:
    tracked = Tracked()
    sources = Sources(StreamSource(seed), StreamSource(seed))
    saving = Saving(session.folder / layout.CHECKPOINTS, opening.policy, is_fallback=options.is_fallback)
    switch = StopSwitch(
        stop_after=options.stop_after,
        limit_seconds=limit_from(options.time_limit_seconds, os.environ.get(SCHEDULER_END)),
    )
    hooks = Hooks(session.folder)
    sinks = list(opening.sinks) if options.is_quiet else [*opening.sinks, console_sink(opening.name)]
    settler = Settler(session, tracked, sources, saving, hooks, sinks, switch)
    return Run(session, settler, tracked, sources, switch, hooks)


def _version() -> str:
    from importlib.metadata import version

    return version("samerun")
