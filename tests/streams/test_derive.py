"""Seeds and keys: what is a seed, and that a key is BLAKE2b as published."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest

from samerun.errors import UsageError
from samerun.streams.derive import SEED_LIMIT, check_seed, derive_key, draw_seed, keyed_hash


@pytest.mark.parametrize("seed", [0, 7, 2**32, 2**64, SEED_LIMIT - 1, np.int64(7), np.uint64(2**64 - 1)])
def test_integers_in_range_are_seeds(seed: Any) -> None:
    assert check_seed(seed) == int(seed)
    assert type(check_seed(seed)) is int


@pytest.mark.parametrize("seed", [True, False, np.bool_(True), 7.0, np.float64(7), "7", None, b"7", [7], 7j])
def test_what_is_no_integer_is_no_seed(seed: Any) -> None:
    with pytest.raises(UsageError) as caught:
        check_seed(seed)
    assert caught.value.code == "SR-SEED-001"


@pytest.mark.parametrize("seed", [-1, SEED_LIMIT, -(2**200), np.int64(-1)])
def test_integers_out_of_range_are_refused(seed: Any) -> None:
    with pytest.raises(UsageError) as caught:
        check_seed(seed)
    assert caught.value.code == "SR-SEED-002"


def test_drawn_seeds_differ_and_stay_plain_numbers_in_json() -> None:
    seeds = [draw_seed() for _ in range(100)]
    assert len(set(seeds)) == 100
    assert all(0 <= seed < 2**53 for seed in seeds)
    assert max(seeds) > 2**50


def test_a_key_is_blake2b_keyed_with_the_seed() -> None:
    expected = hashlib.blake2b(
        b"name", digest_size=16, key=(2**127 + 5).to_bytes(16, "little"), person=b"samerun.stream.1"
    ).digest()
    assert derive_key(2**127 + 5, b"name") == expected


def test_a_prefix_hashed_ahead_gives_the_same_key() -> None:
    ahead = keyed_hash(7, b"na")
    for _ in range(2):
        copy = ahead.copy()
        copy.update(b"me")
        assert copy.digest() == derive_key(7, b"name")


def test_every_bit_of_the_seed_counts() -> None:
    seeds = [0, *(1 << bit for bit in range(128))]
    assert len({derive_key(seed, b"name") for seed in seeds}) == len(seeds)
