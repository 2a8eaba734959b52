"""What a record says of where a run can be hurt."""

from __future__ import annotations

from typing import Any

from samerun.rerun.course import Course, _in_windows, course_of


def test_the_course_is_read_from_rows_and_checkpoints(record: Any) -> None:
    found = course_of(record(steps=9, epoch_starts=(0, 4, 8), evaluations=(2, 5), checkpoints=(0, 3, 6, 9)))
    assert found == Course(9, epoch_starts=(0, 4, 8), evaluations=(2, 5), checkpoints=(3, 6))


def test_a_metric_in_every_row_is_no_evaluation(record: Any) -> None:
    assert course_of(record(steps=3, evaluations=(0, 1, 2))).evaluations == ()


def test_a_killed_runs_steps_are_those_of_its_rows(record: Any) -> None:
    assert course_of(record(steps=5, step=0)).steps == 5


def test_a_course_may_be_given_checkpoints() -> None:
    assert Course(10).with_checkpoint(3).checkpoints == (3, 6, 9)


def test_windows_show_by_gradients_that_are_held() -> None:
    assert _in_windows(["x", "y", "z", "0", "u", "v", "w", "0", "a"]) == (1, 2, 3, 5, 6, 7, 9)
    assert _in_windows(["0", "0", "0"]) == ()
    assert _in_windows([None, None]) == ()
