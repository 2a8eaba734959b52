from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from samerun.judge.metrics import MetricsComparison, compare_metrics


def row(step: int, **changes: Any) -> dict[str, Any]:
    return {"step": step, "run/state_digest": f"xxh3:{step}", "train/loss": 1.0 / (step + 1), **changes}


def log(*rows: dict[str, Any]) -> Iterator[bytes]:
    return iter([json.dumps(one).encode() for one in rows])


def compared(changed: dict[str, Any], **options: Any) -> MetricsComparison:
    """Rows 0 to 2 against the same with row 1 changed."""
    return compare_metrics(log(row(0), row(1), row(2)), log(row(0), row(1, **changed), row(2)), **options)


def test_equal_metrics_have_no_difference() -> None:
    found = compared({})
    assert list(found.differences()) == [] and found.as_json()["rows_compared"] == 3


@pytest.mark.parametrize("column", ["time/step_seconds", "throughput/items", "memory/peak", "run/segment"])
def test_a_clock_column_never_counts(column: str) -> None:
    found = compare_metrics(log(row(0, **{column: 1.0})), log(row(0, **{column: 2.0})))
    assert list(found.differences()) == [] and found.structural_steps == set()


def test_a_clock_column_on_one_side_only_never_counts() -> None:
    assert list(compared({"time/step_seconds": 1.0}).differences()) == []


def test_a_changed_number_names_its_column_step_and_both_values() -> None:
    found = compared({"train/loss": 0.25})
    (difference,) = found.differences()
    assert (difference.step, difference.kind, difference.leaf) == (1, "value", "train/loss")
    assert (difference.a, difference.b) == (0.5, 0.25)
    section = found.as_json()["columns"]["train/loss"]
    assert (section["first_step"], section["rows"], section["largest_relative"]) == (1, 1, 0.5)


def test_one_ulp_is_a_difference_and_is_named_as_small() -> None:
    found = compared({"train/loss": 0.5000000000000001})
    assert len(list(found.differences())) == 1
    assert found.as_json()["columns"]["train/loss"]["within"] == "float32"


def test_nan_equals_nan_and_differs_from_a_number() -> None:
    assert list(compare_metrics(log(row(0, x="NaN")), log(row(0, x="NaN"))).differences()) == []
    found = compared({"train/loss": "NaN"})
    assert len(list(found.differences())) == 1
    assert found.as_json()["columns"]["train/loss"]["largest_relative"] == "Infinity"


def test_a_column_on_one_side_is_structure_and_moves_no_value() -> None:
    found = compared({"health/norm": 3.0})
    (difference,) = found.differences()
    assert (difference.kind, difference.leaf, difference.a, difference.b) == (
        "structure",
        "health/norm",
        None,
        "present",
    )
    assert (found.structural_steps, found.value_steps) == ({1}, set())
    assert found.as_json()["only_in_b"] == {"health/norm": 1}


def test_evaluation_columns_may_lack_only_where_the_caller_says_so() -> None:
    changed = {"evaluate/loss": 1.0}
    assert len(list(compared(changed).differences())) == 1
    watched = compared(changed, evaluation_may_lack=True)
    assert list(watched.differences()) == [] and watched.lacking() == ["evaluate/loss"]
    other = compared({"health/norm": 1.0}, evaluation_may_lack=True)
    assert len(list(other.differences())) == 1


def test_a_thinned_state_digest_is_no_difference() -> None:
    found = compared({"run/state_digest": None})
    assert list(found.differences()) == [] and found.first_state is None


def test_another_state_digest_is_kept_for_records_without_a_trail() -> None:
    assert compared({"run/state_digest": "xxh3:other"}).first_state == (1, "xxh3:1", "xxh3:other")


def test_the_largest_distance_is_over_all_rows() -> None:
    a = log(*(row(step, x=1.0) for step in range(3)))
    b = log(row(0, x=1.0), row(1, x=1.001), row(2, x=4.0))
    drift = compare_metrics(a, b).columns["x"]
    assert (drift.step, drift.rows, drift.largest) == (1, 2, 0.75)
