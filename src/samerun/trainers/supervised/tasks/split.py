"""Which items are held out: a pure function of each item's key and the fractions, never of its position in a file.

Reordering a file, or training with another seed, holds out the same items. The order of items in training is not
decided here but in data/order.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from samerun.base.digest import sha256

Positions = npt.NDArray[np.int64]


def stratified_split(
    keys: Sequence[str], strata: Sequence[str], test_fraction: float, validation_fraction: float
) -> dict[str, Positions]:
    """Split positions into "train", "validation" and "test", each sorted; an empty validation split is left out.

    Within each stratum (a class) the distinct keys are ranked by the SHA-256 of the key; the first `test_fraction` of
    its items are the test split, the next `validation_fraction` the validation split. Items with equal keys stay
    together, so a duplicate never stands on both sides.
    """
    members: dict[str, dict[str, list[int]]] = {}
    for position, (key, stratum) in enumerate(zip(keys, strata, strict=True)):
        members.setdefault(stratum, {}).setdefault(key, []).append(position)
    chosen: dict[str, list[int]] = {"train": [], "validation": [], "test": []}
    for stratum in sorted(members):
        by_key = members[stratum]
        ranked = [by_key[key] for key in sorted(by_key, key=_rank)]
        for name, positions in _cut(ranked, test_fraction, validation_fraction).items():
            chosen[name].extend(positions)
    if not chosen["validation"]:
        del chosen["validation"]
    return {name: np.array(sorted(positions), dtype=np.int64) for name, positions in chosen.items()}


def _rank(key: str) -> str:
    return sha256(b"samerun split 1\x00" + key.encode("utf-8", "surrogateescape"))


def _cut(ranked: list[list[int]], test_fraction: float, validation_fraction: float) -> dict[str, list[int]]:
    """Deal out groups of equal items in rank order: first to test, then to validation, the rest to train."""
    total = sum(len(group) for group in ranked)
    quotas = {"test": round(total * test_fraction), "validation": round(total * validation_fraction)}
    dealt: dict[str, list[int]] = {"test": [], "validation": [], "train": []}
    for group in ranked:
        name = next((name for name, quota in quotas.items() if len(dealt[name]) < quota), "train")
        dealt[name].extend(group)
    return dealt
