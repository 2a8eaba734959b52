"""What is carried and lost is told from what is made anew, from two walks as plain values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from samerun.errors import NoMatchError
from samerun.judge.untracked import compare_walks
from samerun.record.walked import GRADIENTS, Boundary, Leaf, Walk

SAME, OTHER = "xxh3:0", "xxh3:1"


def walk(first: int, values: list[Any], tracked: str = SAME, **facts: Any) -> Walk:
    """A walk in which `x` has these values at the boundaries from `first` on; None is no value."""
    owner = facts.pop("owner", "x")
    leaves = [
        {} if value is None else {"x": Leaf("attribute", f"t{value}", str(value), owner, "save it", **facts)}
        for value in values
    ]
    return Walk({first + place: Boundary(tracked, at) for place, at in enumerate(leaves)})


def paths(whole: Walk, resumed: Walk) -> list[str]:
    return [found.path for found in compare_walks(whole, resumed)]


def test_a_counter_that_begins_again_is_found_with_its_first_change() -> None:
    (one,) = compare_walks(walk(0, [1, 1, 2, 3]), walk(2, [1, 2]))
    assert (one.path, one.kind, one.step, one.before, one.after) == ("x", "attribute", 1, "1", "2")
    assert str(one) == "x changed 1 -> 2 in step 1 (to save it: save it)"
    assert one.as_json()["how_to_save"] == "save it"


def test_what_a_resume_brings_back_is_not_found() -> None:
    assert paths(walk(0, [0, 1, 2, 3]), walk(1, [1, 2, 3])) == []


def test_what_each_step_makes_anew_is_not_found() -> None:
    assert paths(walk(0, [None, 1, 2, 3]), walk(1, [None, 2, 3])) == []
    assert paths(walk(0, [None, 1, 1, 1]), walk(1, [None, 1, 1])) == []


def test_what_never_changed_is_not_found() -> None:
    assert paths(walk(0, [5, 5, 5]), walk(1, [6, 6])) == []


def test_a_variable_that_is_read_before_it_is_assigned_is_found_also_where_it_is_right_again() -> None:
    assert paths(walk(0, [9, 3, 2], is_rebound=True), walk(1, [9, 2])) == ["x"]


def test_a_minimum_that_comes_right_again_is_found_by_the_code_that_updates_it() -> None:
    whole, resumed = (walk(0, [9, 3, 2], is_updated=True), walk(1, [9, 2], is_updated=True))
    assert paths(whole, resumed) == ["x"]
    once = walk(0, [None, 3, 3], is_updated=True)
    assert paths(once, walk(1, [None, 3])) == [], "made once, at its first use: a cache"


def test_where_the_runs_part_what_nobody_reads_is_their_consequence() -> None:
    whole = walk(0, [None, 1, 2, 3])
    parted = walk(1, [None, 7, 8], OTHER)
    assert paths(whole, parted) == []
    assert paths(walk(0, [None, 1, 2, 3], is_read=True), parted) == ["x"]


def test_parts_of_a_whole_are_one_finding_that_names_the_first() -> None:
    (one,) = compare_walks(walk(0, [0, 1, 2], owner="loop local 'm'"), walk(1, [0, 1], owner="loop local 'm'"))
    assert (one.path, one.before) == ("loop local 'm'", "x 0")


def test_gradients_are_found_by_what_a_step_was_seen_to_do_with_them() -> None:
    used = Leaf(GRADIENTS, "t", "gradients of 2 parameters", "x", "track them", is_updated=True)
    unused = replace(used, is_updated=False)
    whole = Walk({step: Boundary(SAME, {"x": used if step == 2 else unused}) for step in range(3)})
    (one,) = compare_walks(whole, walk(1, [None, None]))
    assert (one.kind, one.step, one.before) == (GRADIENTS, 1, "none")
    assert paths(Walk({step: Boundary(SAME, {"x": unused}) for step in range(3)}), walk(1, [None, None])) == []


def test_walks_without_a_common_boundary_are_refused() -> None:
    with pytest.raises(NoMatchError, match="begins at 5"):
        compare_walks(walk(0, [1, 2]), walk(5, [1]))
