"""Splits that stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samerun.data.split import split
from samerun.errors import UsageError

PARTS = {"train": 0.8, "validation": 0.1, "test": 0.1}


@given(st.lists(st.text(), unique=True), st.integers(0, 50))
def test_new_items_move_no_old_one(ids: list[str], cut: int) -> None:
    whole, part = split(ids, PARTS), split(ids[:cut], PARTS)
    for name, members in part.items():
        assert members == [item for item in whole[name] if item in set(ids[:cut])]


def test_each_item_is_in_one_split_of_about_the_right_size() -> None:
    found = split(range(10_000), PARTS)
    assert sorted(item for members in found.values() for item in members) == list(range(10_000))
    assert 7_800 < len(found["train"]) < 8_200 and 900 < len(found["test"]) < 1_100


def test_groups_stay_together() -> None:
    found = split(range(300), PARTS, group=lambda item: int(item) // 10)
    for members in found.values():
        assert all((item // 10 * 10 + other) in members for item in members for other in range(10))


def test_another_key_is_another_split_and_integers_are_not_their_texts() -> None:
    ids = [str(item) for item in range(100)]
    assert split(ids, PARTS) != split(ids, PARTS, key="second")
    numbers = {name: [str(item) for item in members] for name, members in split(range(100), PARTS).items()}
    assert split(ids, PARTS) != numbers


NAN = float("nan")


@pytest.mark.parametrize("parts", [{}, {"a": 0.5}, {"a": 1.2, "b": -0.2}, {"a": 0.6, "b": 0.6}, {"a": 1.0, "b": NAN}])
def test_fractions_that_do_not_add_up_are_refused(parts: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="SR-DATA-017"):
        split([1], parts)


@pytest.mark.parametrize("parts", [{"a": -0.5, "b": 1.5}, {"a": NAN, "b": 0.5}, {"a": float("inf"), "b": 0.5}])
def test_a_fraction_that_is_no_part_is_named_and_no_sum_is_blamed(parts: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="no part of a whole") as caught:
        split([1], parts)
    assert caught.value.evidence[0] == f"a: {parts['a']}" and "sum" not in str(caught.value.evidence)


def test_the_split_is_pinned() -> None:
    assert split(range(40), PARTS)["test"] == [29, 30]
