from __future__ import annotations

from samerun.judge.leaves import Leaves, compare_leaves

START: Leaves = {"model": {"fc.weight": "xxh3:1", "fc.bias": "xxh3:2"}, "optim": {"step": "xxh3:3"}}


def changed(component: str, leaf: str, digest: str | None) -> Leaves:
    inner = {**START[component], leaf: digest}
    return {**START, component: {name: value for name, value in inner.items() if value is not None}}


def test_equal_checkpoints_have_no_difference() -> None:
    found = compare_leaves([0, 100], lambda _: START, lambda _: START)
    assert (found.steps, found.first_unequal, found.differences) == ((0, 100), None, ())


def test_the_first_unequal_checkpoint_names_its_leaf_and_the_row_before_it() -> None:
    later = changed("model", "fc.bias", "xxh3:9")
    found = compare_leaves([0, 100, 200], lambda _: START, lambda step: START if step == 0 else later)
    assert found.first_unequal == 100 and found.steps == (0, 100)
    (difference,) = found.differences
    assert (difference.step, difference.component, difference.leaf) == (99, "model", "fc.bias")
    assert (difference.kind, difference.a, difference.b, difference.seen_at) == ("value", "xxh3:2", "xxh3:9", 100)


def test_a_difference_before_step_0_is_shown_as_step_0() -> None:
    found = compare_leaves([0], lambda _: START, lambda _: changed("model", "fc.bias", "xxh3:9"))
    assert (found.differences[0].step, found.differences[0].seen_at) == (0, 0)


def test_a_leaf_on_one_side_only_is_structure() -> None:
    found = compare_leaves([0], lambda _: START, lambda _: changed("optim", "step", None))
    assert [(one.kind, one.leaf, one.b) for one in found.differences] == [("structure", "step", None)]


def test_a_component_on_one_side_only_is_structure() -> None:
    found = compare_leaves([0], lambda _: START, lambda _: {"model": START["model"]})
    assert [(one.kind, one.component, one.leaf) for one in found.differences] == [("structure", "optim", None)]


def test_two_swapped_leaves_are_two_differences() -> None:
    swapped = {**START, "model": {"fc.weight": "xxh3:2", "fc.bias": "xxh3:1"}}
    assert len(compare_leaves([0], lambda _: START, lambda _: swapped).differences) == 2


def test_the_section_lists_at_most_50_leaves_and_counts_all() -> None:
    many = {"model": {f"w{i}": "xxh3:1" for i in range(80)}}
    other = {"model": {f"w{i}": "xxh3:2" for i in range(80)}}
    section = compare_leaves([0], lambda _: many, lambda _: other).as_json()
    assert (len(section["leaves"]), section["leaves_different"]) == (50, 80)


def test_a_component_that_parts_later_is_told_from_the_checkpoint_that_shows_it_first() -> None:
    rate = {**START, "optim": {"step": "xxh3:9"}}
    both = {"model": {"fc.weight": "xxh3:1", "fc.bias": "xxh3:9"}, "optim": {"step": "xxh3:9"}}
    states = {0: rate, 100: rate, 200: both, 300: both}
    found = compare_leaves([0, 100, 200, 300], lambda _: START, lambda step: states[step])
    assert (found.first_unequal, [one.component for one in found.differences]) == (0, ["optim"])
    leaf = found.leaf_of("model")
    assert leaf is not None and (leaf.leaf, leaf.seen_at, len(found.later)) == ("fc.bias", 200, 1)
