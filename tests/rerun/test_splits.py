"""Where a run is stopped to hurt it."""

from __future__ import annotations

from samerun.rerun.course import Course
from samerun.rerun.splits import Split, merge, nasty_splits, second_stop


def steps(course: Course) -> list[int]:
    return [split.step for split in nasty_splits(course)]


def test_every_kind_of_place_is_chosen() -> None:
    course = Course(40, epoch_starts=(0, 12, 24, 36), evaluations=(19, 39), checkpoints=(15, 30))
    assert nasty_splits(course) == [
        Split(1, ("after the first step",)),
        Split(12, ("at an epoch boundary",)),
        Split(14, ("right before a checkpoint",)),
        Split(16, ("right after a checkpoint",)),
        Split(18, ("inside an epoch",)),
        Split(19, ("right before an evaluation",)),
        Split(20, ("right after an evaluation",)),
        Split(39, ("before the last step",)),
    ]


def test_one_place_may_have_several_reasons() -> None:
    course = Course(4, epoch_starts=(0, 2), evaluations=(0,))
    assert nasty_splits(course) == [
        Split(1, ("after the first step",)),
        Split(2, ("at an epoch boundary",)),
        Split(3, ("before the last step", "inside an epoch")),
    ]


def test_inside_means_the_second_epoch_where_there_is_one() -> None:
    assert 15 in steps(Course(30, epoch_starts=(0, 10, 20)))
    assert 15 in steps(Course(30, epoch_starts=(0,)))
    assert 15 in steps(Course(30))


def test_the_ends_are_no_splits() -> None:
    assert steps(Course(0)) == []
    assert steps(Course(1, evaluations=(0,), checkpoints=(0, 1))) == []
    assert merge([(0, "start"), (5, "end"), (3, "a"), (3, "b")], 5) == [Split(3, ("a", "b"))]


def test_a_second_stop_comes_one_step_later_unless_that_is_the_end() -> None:
    assert second_stop(Split(3, ()), 5) == 4
    assert second_stop(Split(4, ()), 5) is None
