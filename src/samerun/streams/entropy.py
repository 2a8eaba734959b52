"""Numbers that no second run gets again, remembered for a while, so that a seed made from one is known when it is used.

What the system and the clock give is harmless in itself (a run's name, a temporary file); as a seed it is not.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from operator import index
from threading import Lock

import numpy as np

from samerun.base import clock

KEPT = 64
"""Values that are remembered; a seed is usually made in the same line."""
_SMALLEST = 1 << 16
"""Seeds below this are numbers that people write."""
_PARTS = 64
"""As many numbers of a seed that is a list are looked at."""
_WINDOW_SECONDS = 5.0
_UNITS = (1, 1_000, 1_000_000, 1_000_000_000)
_WIDTHS = (31, 32, 63, 64)


class Entropy:
    """Remembers what the system gave lately."""

    def __init__(self) -> None:
        self._given: deque[tuple[bytes, str]] = deque(maxlen=KEPT)
        self._lock = Lock()

    def note(self, value: bytes, source: str) -> None:
        """Remember bytes and what gave them."""
        with self._lock:
            self._given.append((bytes(value), source))

    def source_of(self, seed: object) -> str | None:
        """Say what a seed was made from, if it is one of these values, a usual cut of one, or the time of now."""
        if isinstance(seed, str | bytes | bytearray):
            return self._text_source(seed)
        if isinstance(seed, float):
            return "the clock" if abs(seed - clock.wall()) < _WINDOW_SECONDS else None
        if isinstance(seed, np.ndarray):
            head = seed.flat[:_PARTS]
            return self._text_source(head.tobytes()) or self.source_of(head.tolist())
        if isinstance(seed, Sequence):
            return next((source for part in seed[:_PARTS] if (source := self.source_of(part))), None)
        try:
            number = index(seed)  # type: ignore[arg-type]
        except TypeError:
            return None
        return None if number < _SMALLEST else self._number_source(number)

    def _text_source(self, seed: str | bytes | bytearray) -> str | None:
        for value, source in self._now():
            if isinstance(seed, str):
                if value.hex() == seed.replace("-", "").lower():
                    return source
            elif bytes(seed) == value:
                return source
        return None

    def _number_source(self, number: int) -> str | None:
        for value, source in self._now():
            if number in _cuts(value):
                return source
        now = clock.wall()
        if any(abs(number - now * unit) < _WINDOW_SECONDS * unit for unit in _UNITS):
            return "the clock"
        milliseconds = int(now * 1000) % (1 << 32)
        return "the clock" if abs(number - milliseconds) < _WINDOW_SECONDS * 1000 else None

    def _now(self) -> list[tuple[bytes, str]]:
        with self._lock:
            return list(self._given)


def _cuts(value: bytes) -> Iterator[int]:
    """Yield the integers that are usually made of some bytes: whole, masked, shifted, by either end first."""
    bits = 8 * len(value)
    for order in ("big", "little"):
        whole = int.from_bytes(value, order)
        yield whole
        yield whole % (2**32 - 1)
        yield from (whole & ((1 << width) - 1) for width in _WIDTHS)
        # `secrets.randbits` and `randbelow` drop the bits that they have too many of.
        yield from (whole >> drop for drop in range(1, 8))
        yield from (whole >> (bits - width) for width in _WIDTHS if bits > width)
