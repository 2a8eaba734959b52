"""Raw 64-bit words of NumPy's Philox for any key at any position, without making a generator for each stream.

Philox4x64-10 (Salmon et al., SC 2011) is a counter behind a keyed permutation: word i of a key is a pure function. One
generator per thread is moved to whichever stream draws, since setting a state costs a tenth of making a generator.
"""

from __future__ import annotations

import struct
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

_WORDS_PER_BLOCK = 4
_two_words = struct.Struct("<QQ").unpack


class Desk:
    """One Philox, and the stream position at which it stands."""

    __slots__ = ("_bits", "_key", "_parts", "_position", "_raw", "_state")

    def __init__(self) -> None:
        self._bits: Any = np.random.Philox(key=0)
        self._raw = self._bits.random_raw
        # Lists, not arrays: the setter reads them item by item, twice as fast.
        self._parts: dict[str, Any] = {"counter": [0, 0, 0, 0], "key": [0, 0]}
        self._state = {**self._bits.state, "state": self._parts, "buffer": [0, 0, 0, 0]}
        self._key = b""
        self._position = -1

    def word(self, key: bytes, position: int) -> int:
        """Return the word at `position` of the key's sequence."""
        if self._position != position or self._key is not key:
            self._seek(key, position)
        self._position = position + 1
        return self._raw()

    def words(self, key: bytes, position: int, number: int) -> Words:
        """Return `number` words from `position` on."""
        if self._position != position or self._key is not key:
            self._seek(key, position)
        self._position = position + number
        return self._raw(number)

    def _seek(self, key: bytes, position: int) -> None:
        self._key = key
        self._parts["key"] = _two_words(key)
        self._parts["counter"][0] = position // _WORDS_PER_BLOCK
        self._bits.state = self._state
        for _ in range(position % _WORDS_PER_BLOCK):
            self._raw()


class _PerThread(threading.local):
    def __init__(self) -> None:
        self.desk = Desk()


THREAD = _PerThread()
"""`THREAD.desk` is the Philox of this thread."""


def make_philox(key: bytes) -> np.random.Philox:
    """Return a Philox of its own that starts at the first word of the key."""
    return np.random.Philox(key=np.frombuffer(key, "<u8").astype(np.uint64))
