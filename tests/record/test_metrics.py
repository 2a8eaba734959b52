"""Metrics rows: names that can be told apart, numbers that come back, clock columns that never count."""

import pytest

from samerun.errors import UsageError
from samerun.record.metrics import column_name, columns, is_clock, metrics_row


def test_a_bare_name_stands_in_the_group_train() -> None:
    assert column_name("loss") == "train/loss"
    assert column_name("evaluate/loss") == "evaluate/loss"
    assert column_name("health/layer/0/norm") == "health/layer/0/norm"


@pytest.mark.parametrize(
    "name", ["", "/loss", "train/", "run/state_digest", "run/x", "a\nb", "x" * 201, "a\udc80", 3, None, ("a", "b")]
)
def test_a_name_that_is_none_or_ours_is_refused(name: object) -> None:
    with pytest.raises(UsageError, match="SR-RECORD-003"):
        column_name(name)


def test_only_the_three_clock_groups_never_count() -> None:
    assert all(is_clock(f"{group}/x") for group in ("time", "throughput", "memory"))
    assert not any(is_clock(name) for name in ("train/time", "timer/x", "time", "evaluate/memory", "step"))


def test_a_row_holds_its_numbers_and_nothing_of_a_segment_without_drift() -> None:
    row = metrics_row(3, None, {"train/loss": 0.5, "time/step_seconds": 0.1})
    assert row == {"step": 3, "run/state_digest": None, "train/loss": 0.5, "time/step_seconds": 0.1}
    assert metrics_row(3, None, {}, segment=1)["run/segment"] == 1
    assert columns(row) == {"train/loss": 0.5}
