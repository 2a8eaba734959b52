"""Where iterators stand, told from outside: an iterator that is asked for its next item has moved.

Python's own iterators tell how much is left; those that wrap others are looked through; generators are suspended
frames. What an iterator over a stream of the operating system (a file, a socket) has read cannot be told.
"""

from __future__ import annotations

import gc
import itertools
import operator
import warnings
from collections.abc import Iterator
from types import GeneratorType
from typing import Any

_SOURCES: tuple[Any, ...] = ([], (), range(0), range(1 << 80), {}, {}.values(), {}.items(), set(), "", b"", bytearray())
_MADE = (*map(iter, _SOURCES), *map(reversed, _SOURCES[:2]), reversed({}))
COUNTED = frozenset(map(type, _MADE))
WRAPPING = frozenset(
    {enumerate, zip, map, filter, type(iter(int, 1))}
    | {kind for name, kind in sorted(vars(itertools).items()) if isinstance(kind, type) and not name.startswith("_")}
)


def is_iterator(value: object) -> bool:
    """Whether a value is one of Python's own iterators, or a generator."""
    return type(value) in COUNTED or type(value) in WRAPPING or type(value) is GeneratorType


def position_of(iterator: Any) -> str:
    """Tell where an iterator stands, as far as it tells by itself."""
    kind = type(iterator)
    if kind in COUNTED:
        return f"{operator.length_hint(iterator)} left"
    if kind is itertools.count:
        return repr(iterator)
    if kind is GeneratorType:
        return "ended" if iterator.gi_frame is None else f"at instruction {iterator.gi_frame.f_lasti}"
    if kind in (enumerate, itertools.islice, itertools.cycle):
        return _reduced(iterator)
    return kind.__name__


def _reduced(iterator: Any) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            parts = iterator.__reduce__()
        except (TypeError, AttributeError):
            return type(iterator).__name__
    numbers = [part for part in (*parts[1], *parts[2:]) if type(part) in (int, bool)]
    hints = [f"{operator.length_hint(part)} left" for part in parts[1] if type(part) in COUNTED]
    return f"{type(iterator).__name__} {numbers or ''}{' '.join(hints)}".rstrip()


def inside(iterator: Any) -> Iterator[Any]:
    """Yield what an iterator holds on to: the iterators that it wraps, and the function that it calls."""
    if type(iterator) in COUNTED:
        return
    for held in gc.get_referents(iterator):
        # `zip` and `map` hold their iterators in a tuple.
        yield from held if type(held) is tuple else (held,)
