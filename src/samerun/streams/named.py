"""Randomness with a name: one `Stream`. Streams are opened in source.py, by template or by a user's own name.

A stream's numbers depend on the master seed and its name only, never on what else was drawn. The frozen draws are in
draws.py, generators of other libraries in generators.py, the global generators in ambient.py.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from samerun.errors import UsageError
from samerun.streams import draws
from samerun.streams.draws import Shape
from samerun.streams.generators import (
    CudaMeter,
    Meter,
    NumpyMeter,
    PythonMeter,
    TorchMeter,
    make_numpy,
    make_python,
    make_torch,
)
from samerun.streams.ledger import Ledger
from samerun.streams.path import CHILD_MARK, Part, encode_generator, encode_name, readable_name, with_keywords
from samerun.streams.philox import THREAD, Words

if TYPE_CHECKING:
    import hashlib

    import torch


class Head:
    """What all streams of one template share: the hash with seed and prefix in it, and the ledger."""

    __slots__ = ("keyed", "ledger", "opened", "prefix", "row", "template")

    def __init__(
        self, keyed: hashlib.blake2b, prefix: bytes, template: str, ledger: Ledger, opened: set[bytes] | None
    ) -> None:
        self.keyed = keyed
        self.prefix = prefix
        self.template = template
        self.ledger = ledger
        self.row = ledger.row
        self.opened = opened
        """Names opened in this step, or None where opening again means computing again."""

    def claim(self, rest: bytes) -> None:
        """Note that a name is open; raises UsageError (SR-STREAM-002) for the second time within a step."""
        if self.opened is None:
            return
        name = self.prefix + rest
        if name in self.opened:
            raise UsageError(
                "SR-STREAM-002",
                f"the stream {readable_name(name)} is opened a second time in one step",
                evidence=["it would hand out the numbers of the first opening once more"],
                do="keep the stream in a variable, or add a part that tells the two apart, for instance layer=2",
            )
        self.opened.add(name)


class Stream:
    """Named randomness. Each kind of generator (`numpy`, `torch`, `python`) has numbers of its own, apart from the
    frozen draws, and is made once: a second call returns the same generator.
    """

    __slots__ = ("_drawn", "_generators", "_head", "_key", "_position", "_rest")

    def __init__(self, head: Head, rest: bytes) -> None:
        self._head = head
        self._rest = rest
        self._key: bytes | None = None
        self._position = 0
        self._drawn = 0
        self._generators: dict[str, tuple[Any, Meter]] | None = None

    def __repr__(self) -> str:
        return f"<Stream {self.name}, {self.count} drawn>"

    @property
    def name(self) -> str:
        """The name for people, such as `data/order/epoch/3`."""
        return readable_name(self._head.prefix + self._rest)

    @property
    def template(self) -> str:
        """The template it was opened by; the ledger counts by it."""
        return self._head.template

    @property
    def key(self) -> bytes:
        """The 16 bytes that all numbers of this stream follow from."""
        if self._key is None:
            keyed = self._head.keyed.copy()
            keyed.update(self._rest)
            self._key = keyed.digest()
        return self._key

    @property
    def count(self) -> int:
        """Numbers handed out by the frozen draws, and words consumed by the generators made from this stream."""
        made = self._generators or {}
        return self._drawn + sum(meter.total(generator) for generator, meter in made.values())

    def words(self, n: int, kind: str | None = None) -> Words:
        """Return the first n raw words, the same at every call, without counting or moving the stream.

        With a `kind` they are apart from the frozen draws, as those of a generator are.
        """
        return THREAD.desk.words(self.key if kind is None else self._key_of(kind), 0, n)

    def _key_of(self, kind: str) -> bytes:
        keyed = self._head.keyed.copy()
        keyed.update(self._rest + encode_generator(kind))
        return keyed.digest()

    @overload
    def uniform(self, shape: None = None) -> float: ...
    @overload
    def uniform(self, shape: Shape) -> NDArray[np.float64]: ...
    def uniform(self, shape: Shape | None = None) -> float | NDArray[np.float64]:
        """Draw floats in [0, 1) with 53 random bits; one float without a shape."""
        if shape is None:
            return draws.uniform_one(self._one())
        self._note(draws.size_of(shape))
        return draws.uniform(self._take, shape)

    @overload
    def integers(self, low: int, high: int, shape: None = None) -> int: ...
    @overload
    def integers(self, low: int, high: int, shape: Shape) -> NDArray[np.int64]: ...
    def integers(self, low: int, high: int, shape: Shape | None = None) -> int | NDArray[np.int64]:
        """Draw integers low <= i < high without bias; one int without a shape."""
        if shape is None:
            return draws.integer_one(self._take_one, low, high, self._one())
        self._note(draws.size_of(shape))
        return draws.integers(self._take, low, high, shape)

    def permutation(self, n: int) -> NDArray[np.int64]:
        """Draw an order of 0..n-1, each equally likely."""
        self._note(n)
        return draws.permutation(self._take, n)

    def choice(self, n: int, k: int) -> NDArray[np.int64]:
        """Draw k different numbers of 0..n-1, in random order."""
        self._note(k)
        return draws.choice(self._take, n, k)

    def numpy(self) -> np.random.Generator:
        """Return this stream's NumPy generator. Its methods may change between NumPy versions; frozen draws do not."""
        return self._generator("numpy", make_numpy, lambda _: NumpyMeter())  # type: ignore[no-any-return]

    def python(self) -> random.Random:
        """Return this stream's `random.Random`."""
        return self._generator("python", make_python, PythonMeter)  # type: ignore[no-any-return]

    def torch(self, device: str | torch.device = "cpu") -> torch.Generator:
        """Return this stream's torch generator for a device; on the CPU with the full state of 624 words.

        Raises MissingError (SR-STREAM-006) without torch or without the device. Not for use inside an
        activation-checkpointed region, which would draw other numbers when it is computed again.
        """
        place = str(device)
        meter = TorchMeter if place == "cpu" else lambda _: CudaMeter()
        return self._generator(f"torch.{place}", lambda key: make_torch(key, place), meter)  # type: ignore[no-any-return]

    def child(self, *parts: Part, **keywords: Part) -> Stream:
        """Return a stream below this one; its name meets no other stream's and no sibling's."""
        rest = self._rest + CHILD_MARK + encode_name(with_keywords(parts, keywords))
        self._head.claim(rest)
        return Stream(self._head, rest)

    def _one(self) -> int:
        """Hand out one word, counted as one number."""
        head = self._head
        self._drawn += 1
        head.row[head.template] += 1
        return self._take_one()

    def _take_one(self) -> int:
        position = self._position
        self._position = position + 1
        return THREAD.desk.word(self._key or self.key, position)

    def _take(self, n: int) -> Words:
        position = self._position
        self._position = position + n
        return THREAD.desk.words(self._key or self.key, position, n)

    def _note(self, n: int) -> None:
        self._drawn += n
        self._head.row[self._head.template] += n

    def _generator(self, kind: str, make: Any, meter: Any) -> Any:
        if self._generators is None:
            self._generators = {}
        if kind not in self._generators:
            generator = make(self._key_of(kind))
            made = self._generators[kind] = (generator, meter(generator))
            self._head.ledger.watch(self._head.template, *made)
        return self._generators[kind][0]
