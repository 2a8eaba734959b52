"""Deriving a named stream, against `np.random.default_rng([seed, *words of a hashed name])`: at most a third."""

from __future__ import annotations

import hashlib

import numpy as np
from measure import Figure, human, in_turns

from samerun.streams.stream import StreamSource

TIMES = 2000
TEMPLATE = "data/item/epoch/{epoch}/item/{item}"


def figures() -> list[Figure]:
    source = StreamSource(7)

    def ours() -> None:
        for item in range(TIMES):
            source.open(TEMPLATE, epoch=3, item=item).uniform()

    def theirs() -> None:
        for item in range(TIMES):
            name = hashlib.blake2b(f"data/item/epoch/3/item/{item}".encode(), digest_size=16).digest()
            np.random.default_rng([7, *np.frombuffer(name, np.uint32)]).random()

    pair = in_turns(ours, theirs)
    note = "one template used repeatedly; each stream is opened and one number drawn from it"
    figure = Figure(
        "derive a named stream and draw once",
        human(pair.ours / TIMES),
        f"{human(pair.theirs / TIMES)} (`np.random.default_rng`)",
        pair.ratio,
        "<= 0.33",
        pair.ratio <= 1 / 3,
        note,
    )
    return [figure]
