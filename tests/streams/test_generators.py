"""Generators of other libraries: full states, and counts that follow any use of them exactly."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch

from samerun.streams import generators
from samerun.streams.generators import (
    BLOCK_LIMIT,
    MT_WORDS,
    NumpyMeter,
    PythonMeter,
    TorchMeter,
    make_numpy,
    make_python,
    make_torch,
)
from samerun.streams.philox import Desk

KEY = bytes(range(16))


def test_the_torch_state_is_the_first_312_words_of_the_key() -> None:
    state = make_torch(KEY, "cpu").get_state().numpy()
    words = state[24 : 24 + 8 * MT_WORDS].view(np.uint64)
    assert (words == Desk().words(KEY, 0, 312).view(np.uint32)).all()


def test_torch_draws_what_a_mersenne_twister_with_these_words_draws() -> None:
    words = Desk().words(KEY, 0, 312).view(np.uint32)
    reference = np.random.MT19937(0)
    reference.state = {"bit_generator": "MT19937", "state": {"key": words, "pos": MT_WORDS}}
    drawn = torch.empty(2000, dtype=torch.int64).random_(0, 2**32, generator=make_torch(KEY, "cpu"))
    # random_ with a range of 2^32 takes 64 bits, of less it takes 32
    small = torch.empty(2000, dtype=torch.int64).random_(0, 2**20, generator=make_torch(KEY, "cpu"))
    raw = reference.random_raw(4000).astype(np.uint64)
    assert (small.numpy() == (raw[:2000] % 2**20).astype(np.int64)).all()
    assert drawn.shape == (2000,)


def test_the_numpy_generator_is_a_philox_on_the_key() -> None:
    assert (make_numpy(KEY).bit_generator.random_raw(8) == Desk().words(KEY, 0, 8)).all()


def test_the_python_generator_is_seeded_with_all_128_bits() -> None:
    expected = random.Random(int.from_bytes(KEY, "little")).getrandbits(256)
    assert make_python(KEY).getrandbits(256) == expected
    assert make_python(bytes(15) + b"\x01").getrandbits(64) != make_python(bytes(16)).getrandbits(64)


USES = [1, 2, 3, 622, 623, 624, 625, 1247, 1248, 1249, 5000]


@pytest.mark.parametrize("uses", [USES, USES[::-1], [624, 624, 624], [1] * 10, [0, 0, 1]])
def test_counts_follow_every_use_across_blocks(uses: list[int]) -> None:
    makers: list[tuple[Any, Any, Any]] = [
        (make_python(KEY), PythonMeter, lambda g, n: [g.getrandbits(32) for _ in range(n)]),
        (make_torch(KEY, "cpu"), TorchMeter, lambda g, n: torch.rand(n, generator=g)),
        (make_numpy(KEY), lambda _: NumpyMeter(), lambda g, n: g.random(n)),
    ]
    for generator, meter_of, use in makers:
        meter = meter_of(generator)
        assert meter.total(generator) == 0
        total = 0
        for number in uses:
            use(generator, number)
            total += number
            assert meter.total(generator) == meter.total(generator) == total


def test_asking_for_the_count_does_not_move_the_generator() -> None:
    asked, plain = make_torch(KEY, "cpu"), make_torch(KEY, "cpu")
    meter = TorchMeter(asked)
    for number in (5, 700, 100):
        assert torch.equal(torch.randn(number, generator=asked), torch.randn(number, generator=plain))
        meter.total(asked)
    a, b = make_python(KEY), make_python(KEY)
    python_meter = PythonMeter(a)
    for _ in range(3):
        assert a.gauss(0, 1) == b.gauss(0, 1)
        python_meter.total(a)


def test_a_burst_beyond_the_limit_is_bounded_and_still_tells_draws_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generators, "BLOCK_LIMIT", 3)
    totals = []
    for extra in (0, 1):
        generator = make_torch(KEY, "cpu")
        meter = TorchMeter(generator)
        torch.rand(10 * MT_WORDS + 5 + extra, generator=generator)
        totals.append(meter.total(generator))
        torch.rand(7, generator=generator)
        assert meter.total(generator) == totals[-1] + 7
    assert totals == [3 * MT_WORDS - MT_WORDS + 5, 3 * MT_WORDS - MT_WORDS + 6]
    assert BLOCK_LIMIT == 1024
