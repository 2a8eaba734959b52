"""A further process under other facts begins a segment, and the same facts again do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from samerun.base.sealed import read_sealed
from samerun.record.identity import read_identity, write_identity
from samerun.record.manifest import Status, read_manifest, write_manifest
from samerun.record.reader import RunRecord

Train = Callable[..., RunRecord]
DRIFT = {"allow_drift": ("platform",)}


def drift_to(record: RunRecord, **facts: Any) -> None:
    """Let the opening have been on a platform with these facts."""
    identity = read_identity(record.folder)
    other = replace(identity, platform={**identity.platform, **facts})
    write_identity(record.folder, other)
    first = replace(record.manifest.segments[0], identity=other.id)
    write_manifest(record.folder, replace(record.manifest, identity=other.id, segments=(first,)))


def test_a_segment_begins_at_the_checkpoint_that_a_killed_run_goes_on_from(train: Train) -> None:
    record = train(4, options={"stop_after": 3})
    drift_to(record, torch="1.0")
    write_manifest(record.folder, replace(read_manifest(record.folder), status=Status.RUNNING, step=0, logs={}))
    again = train(4, options={**DRIFT, "run_folder": record.folder})
    assert again.manifest.segments[1].from_step == 3
    assert [row["segment"] for row in again.trail()] == [0, 0, 0, 1]


def test_the_same_drift_again_is_the_same_segment(train: Train) -> None:
    record = train(1)
    drift_to(record, torch="1.0")
    for steps in (2, 3):
        again = train(steps, options={**DRIFT, "run_folder": record.folder})
    assert [segment.number for segment in again.manifest.segments] == [0, 1]
    assert [row["segment"] for row in again.trail()] == [0, 1, 1]


def test_coming_back_from_a_drift_is_a_further_segment(train: Train) -> None:
    record = train(1)
    drift_to(record, torch="1.0")
    away = train(2, options={**DRIFT, "run_folder": record.folder})
    # The opening becomes what is here now, and the segment something that was elsewhere.
    here = away.manifest.segments[1]
    first = replace(away.manifest.segments[0], identity=here.identity)
    elsewhere = replace(here, identity="0" * 16)
    write_manifest(record.folder, replace(away.manifest, segments=(first, elsewhere)))
    platform = {**away.identity.platform}
    platform["torch"] = read_sealed(record.folder / "drift.json")["segments"][0]["moved"][0]["new"]
    write_identity(record.folder, replace(away.identity, platform=platform))
    back = train(3, options={"run_folder": record.folder})
    assert [row["segment"] for row in back.trail()] == [0, 1, 2]
    assert back.manifest.segments[2].drift == () and back.manifest.segments[2].identity == here.identity
