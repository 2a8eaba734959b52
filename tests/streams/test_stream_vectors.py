"""Frozen for ever: names, keys, words and draws equal those in vectors.json, on every platform and in every version.

`python tests/streams/test_stream_vectors.py` prints the document. A vector that is there is never changed: a new one
may be added. Should one of these tests fail, the code is wrong, not the vector.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samerun.streams.ambient import capture, put_back, set_globals
from samerun.streams.derive import derive_key
from samerun.streams.path import encode_name
from samerun.streams.registry import TEMPLATES
from samerun.streams.source import Streams, StreamSource

VECTORS = Path(__file__).with_name("vectors.json")
SEEDS = [0, 7, 2**32 + 7, 2**53 + 1, 2**128 - 1]
NAMES: list[list[str | int]] = [
    ["a"],
    ["a", "b"],
    ["a/b"],
    [""],
    [1],
    ["1"],
    [-1],
    [2**100],
    ["é", "日本", "\U0001f600"],
    ["user", "augment", "epoch", 3, "item", 17],
]
VALUES = {"step": 41, "micro": 1, "rank": 2, "epoch": 3, "item": 17, "worker": 4, "name": "fc.bias"}


def keys() -> list[dict[str, Any]]:
    return [
        {
            "seed": str(seed),
            "name": name,
            "bytes": encode_name(name).hex(),
            "key": derive_key(seed, encode_name(name)).hex(),
        }
        for seed in SEEDS
        for name in NAMES
    ]


def templates() -> dict[str, str]:
    source = StreamSource(7)
    return {
        t.text: source.open(t.text, **{n: v for n, v in VALUES.items() if f"{{{n}}}" in t.text}).key.hex()  # type: ignore[arg-type]
        for t in TEMPLATES
        if not t.is_user
    }


def draws() -> list[dict[str, Any]]:
    found = []
    for seed in SEEDS:
        streams = Streams(seed)

        def stream(name: str, streams: Streams = streams) -> Any:
            return streams.stream(name, epoch=3)

        found.append(
            {
                "seed": str(seed),
                "words": [str(word) for word in stream("words").words(9)],
                "uniform": [value.hex() for value in stream("uniform").uniform(5).tolist()],
                "integers": {
                    f"{low}:{high}": [str(n) for n in stream("integers").integers(low, high, 5).tolist()]
                    for low, high in [(0, 2), (0, 10), (-5, 5), (0, 2**63), (-(2**63), 2**63), (0, 2**62 + 2**61)]
                },
                "permutation": {str(n): stream("permutation").permutation(n).tolist() for n in (0, 1, 2, 10, 37)},
                "choice": {
                    f"{n},{k}": [str(i) for i in stream("choice").choice(n, k).tolist()]
                    for n, k in [(1, 1), (10, 3), (10, 10), (10**6, 5), (2**63, 5)]
                },
                "child": stream("child").child("x", layer=2).key.hex(),
                "numpy": [str(word) for word in stream("numpy").numpy().bit_generator.random_raw(3)],
                "python": [str(stream("python").python().getrandbits(64))],
                "torch": stream("torch").torch().get_state().numpy()[24:64].tobytes().hex(),
            }
        )
    return found


def ambient() -> dict[str, Any]:
    import torch

    before = capture()
    try:
        set_globals(StreamSource(7).open("ambient/setup"))
        return {
            "python": [str(random.getrandbits(64)) for _ in range(3)],
            "numpy": [str(n) for n in np.random.randint(0, 2**32, 3, np.uint32)],
            "torch": torch.empty(3, dtype=torch.int64).random_(0, 2**31).tolist(),
        }
    finally:
        put_back(before)


def vectors() -> dict[str, Any]:
    return {"keys": keys(), "templates": templates(), "draws": draws(), "ambient": ambient()}


@pytest.mark.parametrize("part", ["keys", "templates", "draws", "ambient"])
def test_every_vector_is_as_it_was_frozen(part: str) -> None:
    frozen = json.loads(VECTORS.read_text("utf-8"))[part]
    now = json.loads(json.dumps(vectors()[part]))
    if part == "templates":
        assert {text: now[text] for text in frozen} == frozen
        assert set(now) == set(frozen), "a new template needs its vector"
    else:
        assert now == frozen


if __name__ == "__main__":
    print(json.dumps(vectors(), indent=1, ensure_ascii=False))
