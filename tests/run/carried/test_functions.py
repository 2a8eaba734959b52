"""Closures, defaults, caches and generators, visited alone."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from typing import Any

from samerun.run.carried.functions import visit_cache, visit_function, visit_iterator
from samerun.run.carried.place import Place
from samerun.run.carried.tokens import Token, plain_token

PLACE = Place("x", "local", "x", "save it")


class Notes:
    """Writes down what is visited."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}
        self._seen: set[int] = set()

    def visit(self, value: object, place: Place) -> None:
        self.note(place, plain_token(value) or ("", type(value).__name__))

    def note(self, place: Place, token: Token) -> None:
        self.found[place.path] = token[1]

    def is_new(self, thing: object) -> bool:
        is_new = id(thing) not in self._seen
        self._seen.add(id(thing))
        return is_new


def counting() -> Callable[..., int]:
    count = 1

    def call(*, step: int = 2) -> int:
        return count + step

    call.calls = 3  # type: ignore[attr-defined]
    return call


def going(start: int) -> Iterator[int]:
    unused = start
    while True:
        start += 1
        yield start
        unused = start
        del unused


def visited(visit: Callable[..., None], value: Any, *label: str) -> dict[str, str]:
    notes = Notes()
    visit(notes, value, PLACE, *label)
    return notes.found


def test_what_a_function_keeps_is_named_by_it_or_by_its_hook() -> None:
    found = visited(visit_function, counting())
    assert found == {
        "closure of counting.call: count": "1",
        "default of counting.call: step": "2",
        "attribute of counting.call: calls": "3",
    }
    assert "closure of model hook: count" in visited(visit_function, counting(), "model hook")
    assert visited(visit_function, json.dumps) == {}, "not the user's"


def test_a_cache_gives_its_size() -> None:
    cache = functools.lru_cache(counting())
    cache(step=1)
    assert visited(visit_cache, cache)["cache of counting.call"] == "1 results"


def test_a_generator_gives_the_variables_that_it_will_read() -> None:
    generator = going(5)
    next(generator)
    found = visited(visit_iterator, generator)
    assert found["x.start"] == "6"
    assert "x.unused" not in found
    assert visited(visit_iterator, iter([1, 2])) == {"x": "2 left"}
