"""The two rows of a step."""

from __future__ import annotations

import pytest

from samerun.errors import UsageError
from samerun.run.rows import Facts, rows_of
from samerun.run.step import Step
from samerun.streams.stream import StreamSource

FACTS = Facts(ambient="ab", streams={"user": 3}, state={"model": "xxh3:1"}, seconds=0.5, segment=0)


def step_of(*batches: str, **logged: object) -> Step:
    step = Step(4, StreamSource(7))
    step.log(logged)
    step.batches.extend(batches)
    return step


def test_the_metrics_row_has_step_state_numbers_and_time() -> None:
    numbers, metrics, _ = rows_of(step_of(loss=0.25, n=3), FACTS)
    assert numbers == {"train/loss": 0.25, "train/n": 3}
    assert metrics.pop("run/state_digest").startswith("xxh3:")
    assert metrics == {"step": 4, "train/loss": 0.25, "train/n": 3, "time/step_seconds": 0.5}


def test_the_trail_row_has_what_the_step_was_made_of_and_no_time() -> None:
    _, _, trail = rows_of(step_of("xxh3:b", loss=0.25), FACTS)
    assert (trail["step"], trail["batch"], trail["ambient"], trail["streams"]) == (4, "xxh3:b", "ab", {"user": 3})
    assert trail["state"] == {"model": "xxh3:1"} and trail["loss"].startswith("xxh3:")
    assert "time" not in str(trail)


def test_a_thinned_trail_has_no_state_in_either_row() -> None:
    thinned = Facts(ambient="ab", streams={}, state=None, seconds=0.5, segment=0)
    _, metrics, trail = rows_of(step_of(), thinned)
    assert metrics["run/state_digest"] is None and trail["state"] is None and trail["loss"] is None


def test_a_later_segment_is_marked_in_both_rows() -> None:
    later = Facts(ambient="ab", streams={}, state=None, seconds=0.5, segment=2)
    _, metrics, trail = rows_of(step_of(), later)
    assert metrics["run/segment"] == 2 and trail["segment"] == 2


def test_several_batches_of_a_step_have_one_digest_in_which_their_order_counts() -> None:
    none, one, two, other = (
        rows_of(step_of(*batches), FACTS)[2]["batch"] for batches in ((), ("a",), ("a", "b"), ("b", "a"))
    )
    assert none is None and one == "a" and len({one, two, other}) == 3


def test_the_seconds_are_in_no_digest() -> None:
    slow = Facts(ambient="ab", streams={}, state=None, seconds=9.0, segment=0)
    fast = Facts(ambient="ab", streams={}, state=None, seconds=0.1, segment=0)
    assert rows_of(step_of(loss=1), slow)[2] == rows_of(step_of(loss=1), fast)[2]


def test_what_is_no_number_makes_no_row() -> None:
    with pytest.raises(UsageError, match="SR-RUN-007"):
        rows_of(step_of(loss="low"), FACTS)


def test_a_clock_column_of_the_users_is_no_part_of_the_trail() -> None:
    trails = [rows_of(step_of(loss=0.25, **{"time/read_seconds": seconds}), FACTS)[2] for seconds in (0.1, 0.2)]
    assert trails[0] == trails[1]
    assert rows_of(step_of(loss=0.5), FACTS)[2] != trails[0]
