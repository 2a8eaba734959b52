"""NumPy's BLAS: its thread count changes bits, so it has to be set."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from samerun.tiers.blas import numpy_threads, set_numpy_threads


@pytest.fixture(autouse=True)
def put_back() -> Iterator[None]:
    before = numpy_threads()
    yield
    if before is not None:
        set_numpy_threads(before)


def products(threads: int) -> list[bytes]:
    assert set_numpy_threads(threads)
    assert numpy_threads() == threads
    numbers = np.random.default_rng(0)
    found = []
    for size in (64, 257, 500, 700):
        a = numbers.standard_normal((size, size)).astype(np.float32)
        found += [(a @ a).tobytes(), np.dot(a.ravel(), a.ravel()).tobytes()]
    return found


@pytest.mark.skipif(numpy_threads() is None, reason="NumPy here has another BLAS than the one of its wheel")
def test_the_number_of_threads_of_numpy_changes_bits_and_can_be_set() -> None:
    assert products(1) == products(1)
    assert products(1) != products(2)
