from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from samerun.judge.trail import TrailComparison, compare_trails

ORDER = "data/order/epoch/{epoch}"


def row(step: int, **changes: Any) -> dict[str, Any]:
    return {
        "step": step,
        "batch": f"xxh3:b{step}",
        "streams": {ORDER: 4} if step == 0 else {},
        "ambient": f"a{step}",
        "loss": f"xxh3:l{step}",
        "state": {"model": f"xxh3:m{step}", "optim": f"xxh3:o{step}"},
        "kind": "xxh3",
        "segment": 0,
        **changes,
    }


def log(*rows: dict[str, Any]) -> Iterator[bytes]:
    return iter([json.dumps(one).encode() for one in rows])


def compared(changed: dict[str, Any], **options: Any) -> TrailComparison:
    """Rows 0 to 2 against the same with row 1 changed."""
    return compare_trails(log(row(0), row(1), row(2)), log(row(0), row(1, **changed), row(2)), **options)


def test_equal_trails_have_no_difference() -> None:
    found = compared({})
    assert found.differences() == [] and found.as_json()["rows_compared"] == 3


@pytest.mark.parametrize(
    ("changed", "kind", "component"),
    [
        ({"batch": "xxh3:other"}, "batch", "batch"),
        ({"ambient": "other"}, "ambient", "ambient"),
        ({"loss": "xxh3:other"}, "value", "loss"),
        ({"state": {"model": "xxh3:other", "optim": "xxh3:o1"}}, "value", "model"),
        ({"state": {"model": "xxh3:m1"}}, "structure", "optim"),
        ({"batch": None}, "structure", "batch"),
        ({"loss": None}, "structure", "loss"),
    ],
)
def test_each_field_names_its_kind_and_component(changed: dict[str, Any], kind: str, component: str) -> None:
    (difference,) = compared(changed).differences()
    assert (difference.step, difference.kind, difference.component) == (1, kind, component)


def test_an_extra_draw_names_the_stream_and_how_many() -> None:
    found = compared({"streams": {ORDER: 1}})
    (difference,) = found.differences()
    assert (difference.kind, difference.stream, difference.a, difference.b) == ("draws", ORDER, 0, 1)
    assert str(difference) == f"step 1: stream {ORDER} drew 1 more number in b (0 | 1)"
    assert found.streams_json() == [{"stream": ORDER, "first_step": 1, "more_in_b": 1, "a": 0, "b": 1, "rows": 1}]


def test_a_thinned_state_is_no_difference_and_is_counted() -> None:
    found = compared({"state": None})
    assert (found.differences(), found.states_not_compared) == ([], 1)


def test_digests_of_another_kind_are_not_compared() -> None:
    found = compared({"kind": "mix128", "state": {"model": "mix128:1", "optim": "mix128:2"}})
    assert (found.differences(), found.states_not_compared) == ([], 1)


def test_the_last_equal_state_is_known_whether_its_row_was_parsed_or_not() -> None:
    assert compared({}).states.last_equal == 2
    parted = compared({"state": {"model": "xxh3:other", "optim": "xxh3:o1"}})
    assert parted.states.last_equal == 0 and parted.states.compared == 3
    thin = compare_trails(log(row(0), row(1, state=None)), log(row(0), row(1, state=None, loss="x")))
    assert (thin.states.last_equal, thin.states.absent, thin.states.compared) == (0, 1, 1)


def test_the_segment_of_a_row_is_no_difference() -> None:
    assert compared({"segment": 1}).differences() == []


def test_another_set_of_columns_explains_the_digest_of_the_logged_numbers() -> None:
    assert compared({"loss": "xxh3:other"}, renamed_steps={1}).differences() == []


def test_only_the_first_difference_of_a_subject_is_kept() -> None:
    a = [row(step) for step in range(5)]
    b = [row(step, batch="xxh3:other") if step > 1 else row(step) for step in range(5)]
    found = compare_trails(log(*a), log(*b))
    assert [difference.step for difference in found.differences()] == [2]
    assert found.rows_different == 3
