"""Ordinary generators of Python, NumPy and torch that start from a stream's words, and what each has consumed since.

A torch CPU generator gets its whole state of 624 words: `manual_seed` would keep 32 bits, so that 65,000 streams make
a collision likely. The global generators are in ambient.py.
"""

from __future__ import annotations

import random
import weakref
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from samerun.errors import MissingError
from samerun.streams.philox import THREAD, Words, make_philox

if TYPE_CHECKING:
    import torch

MT_WORDS = 624
"""32-bit words in the state of a Mersenne Twister."""
HALF = MT_WORDS // 2
TORCH_WORDS_AT = 24
_TORCH_NEXT_AT = 16
# A torch CPU state after seeding: left = 1, seeded = 1, next = 0, so that the first draw makes new words.
_TORCH_FRESH = bytes([1, 0, 0, 0, 1, 0, 0, 0])

BLOCK_LIMIT = 1024
"""Blocks of 624 words that a count follows; a larger burst counts as these and the place in its last block."""


class StreamGenerator(np.random.Generator):
    """A `numpy.random.Generator` that can be watched (the plain class has no weak references)."""


def make_numpy(key: bytes) -> StreamGenerator:
    """Return a NumPy generator over a Philox of its own."""
    return StreamGenerator(make_philox(key))


def make_python(key: bytes) -> random.Random:
    """Return a `random.Random` seeded with the 128 bits of the key (Python spreads an integer of any size)."""
    return random.Random(int.from_bytes(key, "little"))


def make_torch(key: bytes, device: str) -> torch.Generator:
    """Return a torch generator: on the CPU with the full state of 624 words, on CUDA seeded with 64 bits.

    Raises MissingError (SR-STREAM-006) when torch or the device is not there or is not supported.
    """
    try:
        import torch
    except ImportError:
        raise _missing("torch is not installed", "pip install 'samerun[torch]'") from None
    place = torch.device(device)
    if place.type == "cpu":
        generator = torch.Generator(device="cpu")
        generator.set_state(torch.from_numpy(torch_cpu_state(mt_words(THREAD.desk.words(key, 0, HALF)))))
        return generator
    if place.type != "cuda" or not torch.cuda.is_available():
        raise _missing(f"there is no generator for the device {device!r} here", "use the device 'cpu'")
    return torch.Generator(device=place).manual_seed(THREAD.desk.word(key, 0))


def _missing(what: str, do: str) -> MissingError:
    return MissingError("SR-STREAM-006", what, do=do)


def mt_words(words: Words) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """Return 64-bit words as twice as many 32-bit ones, the low half first."""
    return words.astype("<u8", copy=False).view("<u4")


def torch_cpu_state(words: np.ndarray[Any, np.dtype[np.uint32]]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return the bytes of a torch CPU generator's state that holds these 624 words and stands at its start."""
    state = _torch_template().copy()
    state[TORCH_WORDS_AT : TORCH_WORDS_AT + 8 * MT_WORDS].view("<u8")[:] = words
    return state


@cache
def _torch_template() -> np.ndarray[Any, np.dtype[np.uint8]]:
    import torch

    state = torch.Generator(device="cpu").manual_seed(0).get_state().numpy().copy()
    if bytes(state[8:16]) != _TORCH_FRESH or state[TORCH_WORDS_AT:].size < 8 * MT_WORDS:
        raise _missing(
            f"torch {torch.__version__} keeps its generator in a form that samerun does not know",
            "install the torch version that constraints.txt names",
        )
    return state


class Meter(Protocol):
    """Tells how many words a generator has consumed since it was made."""

    def total(self, generator: Any) -> int:
        """Return the words consumed so far; 64-bit ones of a NumPy generator, 32-bit ones of the others."""
        ...


class NumpyMeter:
    """The position of a Philox is its count: it can be read off."""

    def total(self, generator: np.random.Generator) -> int:
        """Return the 64-bit words consumed so far."""
        state = generator.bit_generator.state
        blocks = sum(int(word) << (64 * at) for at, word in enumerate(state["state"]["counter"]))
        return blocks * 4 + int(state["buffer_pos"]) - 4


class TwisterMeter:
    """Follows a Mersenne Twister block by block of 624 words, since its state does not tell how often it was renewed.

    Subclasses say how to read the words and the place in them, and how to make the next block.
    """

    def __init__(self, generator: Any) -> None:
        self._passed = 0
        self._words, self._place = self.read(generator)
        self._start = self._place

    def read(self, generator: Any) -> tuple[Any, int]:
        """Return the 624 words and the place of the next one (624: all are used)."""
        raise NotImplementedError

    def mirror(self, words: Any) -> Any:
        """Return a generator of the same kind with these words, all used."""
        raise NotImplementedError

    def turn(self, mirror: Any) -> Any:
        """Consume one block of the mirror and return its words."""
        raise NotImplementedError

    def total(self, generator: Any) -> int:
        """Return the 32-bit words consumed so far (BLOCK_LIMIT says what a very large burst counts as)."""
        words, place = self.read(generator)
        if words != self._words:
            mirror = self.mirror(self._words)
            for _ in range(BLOCK_LIMIT):
                self._passed += MT_WORDS
                if self.turn(mirror) == words:
                    break
            self._words = words
        self._place = place
        return self._passed + self._place - self._start


class PythonMeter(TwisterMeter):
    """Counts for `random.Random`."""

    def read(self, generator: random.Random) -> tuple[tuple[int, ...], int]:
        """Return the words and the place, from `getstate`."""
        words: tuple[int, ...] = generator.getstate()[1]
        return words[:MT_WORDS], words[MT_WORDS]

    def mirror(self, words: tuple[int, ...]) -> random.Random:
        """Return another `random.Random` with these words."""
        mirror = random.Random(0)
        mirror.setstate((3, (*words, MT_WORDS), None))
        return mirror

    def turn(self, mirror: random.Random) -> tuple[int, ...]:
        """Draw 624 words."""
        mirror.getrandbits(32 * MT_WORDS)
        return self.read(mirror)[0]


class TorchMeter(TwisterMeter):
    """Counts for a torch CPU generator."""

    def read(self, generator: torch.Generator) -> tuple[bytes, int]:
        """Return the words (each in 64 bits, as torch keeps them) and the place; a fresh state has used all."""
        state = generator.get_state().numpy()
        words = state[TORCH_WORDS_AT : TORCH_WORDS_AT + 8 * MT_WORDS].tobytes()
        left, place = int(state[8:12].view("<i4")[0]), int(state[_TORCH_NEXT_AT : _TORCH_NEXT_AT + 8].view("<u8")[0])
        return words, MT_WORDS if left == 1 else place

    def mirror(self, words: bytes) -> torch.Generator:
        """Return another generator with these words."""
        mirror = _torch_mirror()
        mirror.set_state(_as_tensor(torch_cpu_state(np.frombuffer(words, "<u8").astype(np.uint32))))
        return mirror

    def turn(self, mirror: torch.Generator) -> bytes:
        """Draw 624 words of 32 bits."""
        _int32_block().random_(generator=mirror)
        return self.read(mirror)[0]


class CudaMeter:
    """A CUDA generator is a counter: its offset is its count."""

    def total(self, generator: torch.Generator) -> int:
        """Return the offset in the generator's Philox sequence."""
        return int(generator.get_offset())


def _as_tensor(state: np.ndarray[Any, Any]) -> torch.Tensor:
    import torch

    return torch.from_numpy(state)


@cache
def _torch_mirror() -> torch.Generator:
    import torch

    return torch.Generator(device="cpu")


@cache
def _int32_block() -> torch.Tensor:
    import torch

    return torch.empty(MT_WORDS, dtype=torch.int32, device="cpu")


class Watched:
    """A generator that was handed out, its template, and what of its consumption is already in the ledger."""

    def __init__(self, template: str, generator: Any, meter: Meter) -> None:
        self.template = template
        self._generator = generator
        self._meter = meter
        self._known = 0

    def take(self) -> int:
        """Return the words consumed since the last call."""
        total = self._meter.total(self._generator)
        new, self._known = total - self._known, total
        return new

    def is_still_used(self) -> bool:
        """Whether anybody else holds the generator; it is let go when nobody does."""
        reference = weakref.ref(self._generator)
        self._generator = None
        self._generator = reference()
        return self._generator is not None
