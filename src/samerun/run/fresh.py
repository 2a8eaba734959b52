"""The documents of a new run folder, and what changes in an old one when a further process takes it over.

Which of the two it is was decided by open.py, under the run's lock.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from samerun.base import clock, files
from samerun.base.sealed import read_sealed, write_sealed
from samerun.checkpoint.store import list_steps
from samerun.record import layout
from samerun.record.environment import write_environment
from samerun.record.identity import Identity, read_identity, write_identity
from samerun.record.manifest import Manifest, Segment, read_manifest, write_manifest
from samerun.record.resolved import write_config
from samerun.record.source import write_source
from samerun.run.find import Found
from samerun.run.opening import Opening


def write_fresh(folder: Path, opening: Opening, seed: int) -> tuple[Manifest, Identity]:
    """Write every document of a new run; the manifest last, since its presence makes the folder a run."""
    identity = opening.facts.identity(seed)
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
    return manifest, identity


def take_over(folder: Path, opening: Opening, found: Found | None) -> tuple[Manifest, Identity]:
    """Count a further process in the manifest of an old run; facts that moved (and were allowed to) begin a segment."""
    manifest = read_manifest(folder)
    manifest = replace(manifest, attempt=manifest.attempt + 1, updated=clock.utc_now())
    if found is not None and _is_elsewhere(manifest, opening, found):
        manifest = _drifted(folder, manifest, opening, found)
    write_manifest(folder, manifest)
    write_sealed(folder / layout.LOCAL, {"schema": "samerun.local", "format": 1, **opening.local})
    return manifest, read_identity(folder)


def _is_elsewhere(manifest: Manifest, opening: Opening, found: Found) -> bool:
    """Whether the facts of now are others than those of the newest segment (drifted further, or come back)."""
    if len(manifest.segments) < 2 and not found.differences:
        return False
    return opening.facts.identity(found.seed).id != manifest.segments[-1].identity


def _drifted(folder: Path, manifest: Manifest, opening: Opening, found: Found) -> Manifest:
    """Begin a new segment under the facts of now, and write down what moved."""
    now = opening.facts.identity(found.seed)
    segment = Segment(
        number=len(manifest.segments),
        from_step=max(list_steps(folder / layout.CHECKPOINTS), default=0),
        identity=now.id,
        platform_digest=now.platform_digest,
        drift=tuple(one.name for one in found.differences),
    )
    path = folder / layout.DRIFT
    earlier = read_sealed(path)["segments"] if path.exists() else []
    entry = {"number": segment.number, "moved": [one.as_json() for one in found.differences]}
    write_sealed(path, {"schema": "samerun.drift", "format": 1, "segments": [*earlier, entry]})
    return replace(manifest, segments=(*manifest.segments, segment))


def _version() -> str:
    from importlib.metadata import version

    return version("samerun")
