from __future__ import annotations

from dataclasses import replace
from typing import Any

from samerun.judge.evidence import gather
from samerun.record.manifest import read_manifest, write_manifest
from samerun.record.reader import RunRecord


def ended(record: RunRecord, **fields: Any) -> RunRecord:
    write_manifest(record.folder, replace(read_manifest(record.folder), **fields))
    return RunRecord.open(record.folder)


def test_equal_records_have_nothing_different_and_their_states_are_counted(record) -> None:
    found = gather(record(), record())
    assert list(found.differences()) == [] and found.moved == [] and found.num_states == 6


def test_everything_that_differs_is_gathered(record) -> None:
    b = record(at=3, batch="xxh3:x", numbers={"train/loss": 9.0}, state={"model": "xxh3:x", "optim": "xxh3:o3"})
    found = {one.component for one in gather(record(), b).differences()}
    assert {"batch", "model", "metrics"} <= found


def test_the_state_at_the_end_counts_where_both_ends_are_the_same_step(record) -> None:
    a, b = (ended(record(), state_digest=digest) for digest in ("xxh3:1", "xxh3:2"))
    assert [(one.component, one.step) for one in gather(a, b).differences()] == [("state", 5)]
    shorter = ended(record(), state_digest="xxh3:2", step=5)
    assert gather(a, shorter).final is None


def test_rows_that_one_side_lacks_are_one_difference(record) -> None:
    (extent,) = gather(record(steps=4), record(steps=6)).differences()
    assert (extent.step, extent.kind, extent.a, extent.b) == (4, "structure", None, "a row")
