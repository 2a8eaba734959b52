"""What is told first of several differences in one step."""

from __future__ import annotations

from typing import Any

import pytest

from samerun.checkpoint.write import write_checkpoint
from samerun.judge.diff import diff
from samerun.judge.difference import Difference
from samerun.judge.order import telling_order
from samerun.record import layout
from samerun.record.reader import RunRecord
from samerun.state.tree import pack

STATE = {"average": "xxh3:a2", "model": "xxh3:m2", "values": "xxh3:v2"}


def tracking(record: RunRecord, extra: object) -> RunRecord:
    packed = {name: pack({"size": 1}) for name in STATE}
    write_checkpoint(record.folder / layout.CHECKPOINTS, 0, packed, identity="id", extra=extra)
    return record


def test_what_the_loop_tracks_first_is_told_first(record: Any) -> None:
    extra = {"tracked": ["model", "average", "values"]}
    a, b = (
        tracking(record(steps=4, at=2, state={name: f"{digest}{side}" for name, digest in STATE.items()}), extra)
        for side in "ab"
    )
    first = diff(a, b).first_difference
    assert first is not None and (first.step, first.component) == (2, "model")


@pytest.mark.parametrize("extra", [None, {}, {"tracked": None}])
def test_a_record_that_does_not_say_its_order_is_sorted_by_names(record: Any, extra: object) -> None:
    key = telling_order(tracking(record(steps=2), extra))
    found = sorted([Difference(1, "value", "model"), Difference(1, "value", "average")], key=key)
    assert [one.component for one in found] == ["average", "model"]


def test_causes_come_before_effects_and_the_state_before_step_0_before_all(record: Any) -> None:
    key = telling_order(tracking(record(steps=2), {"tracked": ["model"]}))
    expected = (
        Difference(0, "value", "unknown", seen_at=0),
        Difference(0, "batch", "batch"),
        Difference(0, "value", "loss"),
        Difference(0, "value", "model"),
        Difference(0, "value", "unknown"),
        Difference(0, "value", "model", seen_at=1),
        Difference(1, "ambient", "ambient"),
    )
    mixed = expected[3:] + expected[:3]
    assert tuple(sorted(mixed, key=key)) == expected
