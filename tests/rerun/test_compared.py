"""What a comparison says of each component, and a record cut to its first steps."""

from __future__ import annotations

from typing import Any

from samerun.rerun.compared import compare


def test_each_component_says_over_how_many_steps_it_was_compared(record: Any, twin: Any) -> None:
    made = record(state={"model": "a"})
    found = compare(made, twin(made))
    assert (found.verdict, found.steps) == ("same", 6)
    assert {name: (one["verdict"], one["steps"]) for name, one in found.components.items()} == {
        "metrics": ("same", 6),
        "streams": ("same", 6),
        "ambient": ("same", 6),
        "model": ("same", 6),
    }


def test_a_component_that_differs_is_named_with_its_step(record: Any, twin: Any) -> None:
    made = record(state={"model": "a", "optim": "b"})
    found = compare(made, twin(made, state={"model": "a", "optim": "c"}))
    assert found.verdict == "different"
    assert found.components["model"]["verdict"] == "same"
    assert (found.components["optim"]["verdict"], found.components["optim"]["first_step"]) == ("different", 0)
    moved = compare(made, twin(made, loss=3.0))
    assert moved.components["metrics"]["verdict"] == "different"


def test_a_state_that_one_side_did_not_digest_is_compared_nowhere(record: Any, twin: Any) -> None:
    made = record(state={"model": "a"})
    found = compare(made, twin(made, state=None))
    assert (found.components["model"]["verdict"], found.components["model"]["steps"]) == ("cannot_say", 0)


def test_the_first_steps_of_a_longer_record_are_compared(record: Any, twin: Any) -> None:
    made = record(steps=6, state={"model": "a"})
    shorter = twin(made, steps=4)
    assert compare(made, shorter).verdict == "different"
    assert (compare(made, shorter, count=4).verdict, compare(made, shorter, count=4).steps) == ("same", 4)


def test_what_comes_behind_the_first_steps_is_no_difference_of_theirs(record: Any, twin: Any) -> None:
    made = record(steps=6, state={"model": "a"}, state_digest="xxh3:aa")
    other = twin(made, state_digest="xxh3:bb")
    assert (compare(made, other).verdict, compare(made, other, count=6).verdict) == ("different", "different")
    assert (compare(made, other, count=4).verdict, compare(made, other, count=4).steps) == ("same", 4)
