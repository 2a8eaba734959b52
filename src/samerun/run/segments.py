"""The stretches of a run on one set of facts: where a further process begins another one, and what moved for it.

What is told of each moved fact is drift.py's work; whether it was allowed was decided in choose.py.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from samerun.base.sealed import read_sealed, write_sealed
from samerun.checkpoint.store import list_steps
from samerun.record import layout
from samerun.record.manifest import Manifest, Segment
from samerun.run.drift import as_rows, details_of, moved_around
from samerun.run.find import Found
from samerun.run.opening import Opening

__all__ = ["drifted", "is_elsewhere", "moved_around"]


def is_elsewhere(manifest: Manifest, opening: Opening, found: Found) -> bool:
    """Whether the facts of now are others than those of the newest segment (drifted further, or come back)."""
    if len(manifest.segments) < 2 and not found.differences:
        return False
    return opening.facts.identity(found.seed).id != manifest.segments[-1].identity


def drifted(folder: Path, manifest: Manifest, opening: Opening, found: Found) -> Manifest:
    """Begin a new segment under the facts of now, and write down what moved, file by file and line by line."""
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
    details = details_of(found.record, opening.source, found.differences)
    entry = {"number": segment.number, "moved": as_rows(found.differences, details)}
    write_sealed(path, {"schema": "samerun.drift", "format": 1, "segments": [*earlier, entry]})
    return replace(manifest, segments=(*manifest.segments, segment))
