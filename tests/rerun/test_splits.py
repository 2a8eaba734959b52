"""Where a run is stopped to hurt it."""

from __future__ import annotations

from samerun.rerun.course import Course
from samerun.rerun.splits import ASKED, Split, legs_of, merge, nasty_splits


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


def test_windows_of_gradients_that_span_steps_are_split_in_the_first_and_in_a_later_one() -> None:
    found = nasty_splits(Course(12, in_windows=(1, 2, 3, 5, 6, 7, 9, 10, 11)))
    windows = [split.step for split in found if "inside an accumulation window" in split.reasons]
    assert windows == [1, 6]


def test_a_chain_stops_twice_where_it_hurts_most_and_is_killed_once() -> None:
    legs = legs_of(nasty_splits(Course(30, epoch_starts=(0, 10, 20))), 30)
    assert [(leg.stop, leg.kind) for leg in legs] == [
        (1, "stop"),
        (2, "stop"),
        (10, "stop"),
        (15, "signal"),
        (16, "stop"),
        (18, "kill"),
        (29, "stop"),
        (None, "stop"),
    ]
    assert [leg.stop for leg in legs if leg.has_other_workers] == [16]
    assert str(legs[5]) == "killed in step 17, before its row is written"


def test_no_stop_is_passed_over_because_of_a_kill() -> None:
    for steps in range(3, 12):
        legs = legs_of(nasty_splits(Course(steps, evaluations=(1, 3))), steps)
        at = 0
        for leg in legs[:-1]:
            assert leg.stop is not None and at < leg.stop <= steps
            at = leg.stop - (leg.kind == "kill")


def test_every_split_that_was_asked_for_is_resumed_twice() -> None:
    legs = legs_of([Split(3, (ASKED,)), Split(7, (ASKED,))], 8)
    assert [leg.stop for leg in legs] == [3, 4, 7, None]


def test_a_run_of_two_steps_has_one_place_to_stop() -> None:
    legs = legs_of(nasty_splits(Course(2)), 2)
    assert [leg.stop for leg in legs] == [1, None]
