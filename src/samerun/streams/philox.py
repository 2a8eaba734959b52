"""Raw 64-bit words of NumPy's Philox for any key at any position, without making a generator for each stream.

Philox4x64-10 (Salmon et al., SC 2011) is a counter behind a keyed permutation: word i of a key is a pure function. One
generator per thread is moved to whichever stream draws, since setting a state costs a tenth of making a generator.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

_WORDS_PER_BLOCK = 4


class Desk(threading.local):
    """The one Philox of this thread, and the stream position at which it stands."""

    def __init__(self) -> None:
        self._bits = np.random.Philox(key=0)
        self._counter = np.zeros(4, np.uint64)
        self._key_words = np.zeros(2, np.uint64)
        self._key_buffer = memoryview(self._key_words).cast("B")  # type: ignore[arg-type]
        self._state: Any = self._bits.state
        self._state["state"] = {"counter": self._counter, "key": self._key_words}
        self._key = b""
        self._position = -1

    def word(self, key: bytes, position: int) -> int:
        """Return the word at `position` of the key's sequence."""
        if self._position != position or self._key is not key:
            self._seek(key, position)
        self._position = position + 1
        return int(self._bits.random_raw())

    def words(self, key: bytes, position: int, number: int) -> Words:
        """Return `number` words from `position` on."""
        if self._position != position or self._key is not key:
            self._seek(key, position)
        self._position = position + number
        return self._bits.random_raw(number)

    def _seek(self, key: bytes, position: int) -> None:
        self._key = key
        self._key_buffer[:] = key
        block, within = divmod(position, _WORDS_PER_BLOCK)
        self._counter[0] = block
        self._bits.state = self._state
        for _ in range(within):
            self._bits.random_raw()


DESK = Desk()


def make_philox(key: bytes) -> np.random.Philox:
    """Return a Philox of its own that starts at the first word of the key."""
    return np.random.Philox(key=np.frombuffer(key, "<u8").astype(np.uint64))
