"""The documents of a new run folder, and what changes in an old one when a further process takes it over.

Which of the two it is was decided by open.py, under the run's lock.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from samerun.base import clock, files
from samerun.record import layout
from samerun.record.environment import write_environment
from samerun.record.identity import Identity, Moved, read_identity, write_identity
from samerun.record.local import write_local
from samerun.record.manifest import Manifest, Segment, read_manifest, write_manifest
from samerun.record.resolved import write_config
from samerun.record.source_document import write_source
from samerun.run.find import Found
from samerun.run.opening import Opening
from samerun.run.segments import drifted, is_elsewhere, moved_around

__all__ = ["Moved", "take_over", "write_fresh"]


def write_fresh(folder: Path, opening: Opening, seed: int) -> tuple[Manifest, Identity]:
    """Write every document of a new run; the manifest last, since its presence makes the folder a run."""
    identity = opening.facts.identity(seed)
    for name in (layout.CHECKPOINTS, layout.EVALUATIONS, layout.ATTEMPTS):
        files.make_dir(folder / name)
    write_config(folder, opening.config, opening.submitted)
    write_source(folder, opening.source, opening.captured)
    write_environment(folder, opening.source.root)
    write_local(folder, opening.local)
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


def take_over(folder: Path, opening: Opening, found: Found | None) -> tuple[Manifest, Identity, list[Moved]]:
    """Count a further process in the manifest of an old run; facts that moved (and were allowed to) begin a segment.

    Returns also what moved around the run and is no part of its identity.
    """
    manifest = read_manifest(folder)
    around = [] if found is None else moved_around(folder, opening.source.root, found.differences)
    manifest = replace(manifest, attempt=manifest.attempt + 1, updated=clock.utc_now())
    if found is not None and is_elsewhere(manifest, opening, found):
        manifest = drifted(folder, manifest, opening, found)
    write_manifest(folder, manifest)
    write_local(folder, opening.local)
    return manifest, read_identity(folder), around


def _version() -> str:
    from importlib.metadata import version

    return version("samerun")
