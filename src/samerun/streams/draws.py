"""The frozen draws: what decides an experiment is a few lines over raw 64-bit words, equal on every platform for ever.

NumPy promises its bit generators but not the methods of `Generator` across versions. Each draw says how many words it
takes and in which order; `tests/streams/vectors.json` pins them. Positions and counts are kept in named.py.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np
from numpy.typing import NDArray

from samerun.errors import UsageError
from samerun.streams.philox import Words

Take = Callable[[int], Words]
Shape = int | tuple[int, ...]

_SPAN = 2**64
_UNIT = 2.0**-53


def uniform_one(word: int) -> float:
    """Return the top 53 bits of a word as a float in [0, 1)."""
    return (word >> 11) * _UNIT


def uniform(take: Take, shape: Shape) -> NDArray[np.float64]:
    """Return floats in [0, 1) with 53 random bits each, one word each, in C order."""
    return np.asarray((take(size_of(shape)) >> np.uint64(11)) * _UNIT, np.float64).reshape(shape)


def size_of(shape: Shape) -> int:
    """Return the number of items of a shape; raises UsageError (SR-STREAM-005) for a negative length."""
    lengths = (shape,) if isinstance(shape, int) else shape
    if any(length < 0 for length in lengths):
        raise _refused(f"the shape {shape!r} has a negative length")
    return prod(lengths)


def integers(take: Take, low: int, high: int, shape: Shape) -> NDArray[np.int64]:
    """Return integers low <= i < high, each equally likely; -2^63 <= low < high <= 2^63.

    Word after word, modulo the span; a word at or above the largest multiple of the span is skipped, so there is no
    modulo bias, and the first m of n numbers are those of a draw of m.
    """
    _check_range(low, high)
    span, number = high - low, size_of(shape)
    words = take(number)
    if span < _SPAN:
        highest = np.uint64(_SPAN - _SPAN % span - 1)
        words = words[words <= highest]
        while len(words) < number:
            more = take(number - len(words))
            words = np.concatenate([words, more[more <= highest]])
        words = words % np.uint64(span)
    # Wraps around in 64 bits, which is what two's complement wants for a negative low.
    return (words + np.uint64(low % _SPAN)).view(np.int64).reshape(shape)


def integer_one(take_one: Callable[[], int], low: int, high: int, word: int) -> int:
    """Return what `integers` returns for one number, in Python's integers; `word` is its first word."""
    _check_range(low, high)
    span = high - low
    limit = _SPAN - _SPAN % span
    while word >= limit:
        word = take_one()
    return low + word % span


def _check_range(low: int, high: int) -> None:
    if not -(2**63) <= low < high <= 2**63:
        raise _refused(f"there is no integer i with {low} <= i < {high} in 64 bits")


def permutation(take: Take, n: int) -> NDArray[np.int64]:
    """Return the numbers 0..n-1 in a random order: the order that sorts n words.

    Should two of the words be equal (n^2 in 2^65), all n are drawn again: given that they differ, each order is
    equally likely, exactly. Sorting is 5 times faster than a Fisher-Yates loop in Python.
    """
    if n < 0:
        raise _refused(f"a permutation of {n} items")
    while True:
        words = take(n)
        order = np.argsort(words)
        ranked = words[order]
        if not (ranked[1:] == ranked[:-1]).any():
            return order.astype(np.int64, copy=False)


def choice(take: Take, n: int, k: int) -> NDArray[np.int64]:
    """Return k different numbers of 0..n-1 in a random order (the first k of a Fisher-Yates shuffle); 0 <= k <= n.

    The i-th pick takes a word modulo n - i from what is left, and skips words as `integers` does. Memory and time grow
    with k, not with n.
    """
    if not 0 <= k <= n <= 2**63:
        raise _refused(f"{k} different numbers out of {n}")
    words = _Words(take, k)
    moved: dict[int, int] = {}
    picked = np.empty(k, np.int64)
    for at in range(k):
        word, span = words.next(), n - at
        while word >= _SPAN - _SPAN % span:
            word = words.next()
        found = at + word % span
        picked[at] = moved.get(found, found)
        moved[found] = moved.get(at, at)
    return picked


class _Words:
    """Words one after the other, fetched together: first `number`, then one by one."""

    def __init__(self, take: Take, number: int) -> None:
        self._take = take
        self._fetched: list[int] = take(number).tolist()
        self._fetched.reverse()

    def next(self) -> int:
        return self._fetched.pop() if self._fetched else int(self._take(1)[0])


def _refused(what: str) -> UsageError:
    return UsageError("SR-STREAM-005", f"cannot draw: {what}", do="correct the numbers handed to the draw")
