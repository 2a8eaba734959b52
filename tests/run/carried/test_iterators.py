"""Positions of iterators are told without moving them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from samerun.run.carried.iterators import inside, is_iterator, position_of


def numbers() -> Iterator[int]:
    yield 1
    yield 2


@pytest.mark.parametrize(
    "iterator",
    [
        iter([1, 2, 3]),
        iter((1, 2, 3)),
        iter(range(3)),
        iter({1: 2, 3: 4}),
        iter("abc"),
        reversed([1, 2, 3]),
        enumerate([1, 2, 3]),
        itertools.count(),
        itertools.islice([1, 2, 3], 3),
        itertools.cycle([1, 2, 3]),
        numbers(),
    ],
    ids=lambda one: type(one).__name__,
)
def test_an_iterator_that_moved_stands_elsewhere(iterator: Any) -> None:
    assert is_iterator(iterator)
    before = position_of(iterator)
    assert position_of(iterator) == before
    next(iterator)
    assert position_of(iterator) != before


def test_what_an_iterator_wraps_is_inside_it() -> None:
    wrapped = iter([1, 2])
    assert any(one is wrapped for one in inside(zip(wrapped, "ab", strict=False)))
    assert list(inside(wrapped)) == []


def test_an_ended_generator_says_so() -> None:
    generator = numbers()
    list(generator)
    assert position_of(generator) == "ended"


def test_other_objects_are_no_iterators() -> None:
    assert not is_iterator([]) and not is_iterator(object())
