"""A stretch of rows against the same made again: only the steps asked for count, and what was not recorded is said."""

from __future__ import annotations

from typing import Any

import pytest

from samerun.judge.diff import diff
from samerun.judge.stretch import PARTS, compare_stretch


def test_equal_rows_are_the_same_over_the_steps_asked_for(record: Any) -> None:
    found = compare_stretch(record(steps=6), record(steps=4), 1, 3)
    assert (found.answer, found.steps, found.parts, found.not_compared) == ("same", (1, 2), PARTS, ())


def test_a_row_outside_of_the_stretch_does_not_count_and_one_inside_does(record: Any) -> None:
    other = record(steps=6, at=4, ambient="elsewhere")
    assert compare_stretch(record(steps=6), other, 1, 4).answer == "same"
    found = compare_stretch(record(steps=6), other, 1, 5)
    assert found.answer == "different" and found.first is not None
    assert (found.first.step, found.first.kind) == (4, "ambient")


def test_a_thinned_state_is_said_to_be_not_compared(record: Any) -> None:
    found = compare_stretch(record(steps=4, at=2, state=None), record(steps=4), 1, 4)
    assert (found.answer, found.not_compared) == ("same", ("state",))


@pytest.mark.parametrize(("first", "until"), [(6, 7), (3, 3)])
def test_no_row_on_both_sides_cannot_be_told(record: Any, first: int, until: int) -> None:
    assert compare_stretch(record(steps=6), record(steps=6), first, until).answer == "cannot_say"


def test_a_side_that_ends_earlier_is_different(record: Any) -> None:
    found = compare_stretch(record(steps=6), record(steps=3), 1, 6)
    assert found.answer == "different" and found.first is not None and found.first.step == 3


@pytest.mark.parametrize("name", ["train/loss", "evaluate/loss"])
def test_a_stretch_and_a_diff_name_the_same_first_difference(record: Any, name: str) -> None:
    sides = [
        record(at=2, numbers={"train/loss": 0.5, name: value}, state={"model": f"xxh3:{value}", "optim": "xxh3:o2"})
        for value in (0.1, 0.2)
    ]
    first = diff(*sides).first_difference
    assert first is not None and first.component == ("loss" if name == "train/loss" else "model")
    assert compare_stretch(*sides, 1, 4).first == first
