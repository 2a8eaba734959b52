"""The difference of two trees of plain values, as a pure function. Whole runs are compared in judge/."""

from collections.abc import Mapping
from typing import Any, Final

from samerun.config.origin import flatten

ABSENT: Final = "(not set)"
"""Stands for the value of a path that one of the two does not have."""


def changed(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Return (path, old value, new value) of every leaf that differs, sorted by path.

    1 and 1.0 are equal, as they are in RFC 8785; 1, true and "1" are not. A list without tables is one value.
    """
    before, after = dict(flatten(old)), dict(flatten(new))
    paths = sorted({*before, *after})
    pairs = [(path, before.get(path, ABSENT), after.get(path, ABSENT)) for path in paths]
    return [(path, a, b) for path, a, b in pairs if (path in before) != (path in after) or not _equal(a, b)]


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(_equal(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_equal(a[key], b[key]) for key in a)
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    return bool(a == b) or (a != a and b != b)
