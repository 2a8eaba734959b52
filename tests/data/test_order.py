"""The order of an epoch: a pure function, equal for ever."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from samerun.data.order import epoch_order
from samerun.streams.source import StreamSource


@given(st.integers(0, 2**128 - 1), st.integers(0, 5), st.integers(0, 200))
def test_each_epoch_is_a_permutation_of_all_items(seed: int, epoch: int, n: int) -> None:
    order = epoch_order(StreamSource(seed), epoch, n, True)
    assert order.dtype == np.int64 and sorted(order.tolist()) == list(range(n))


def test_the_order_is_a_function_of_seed_and_epoch_alone() -> None:
    source = StreamSource(7)
    first = epoch_order(source, 3, 50, True)
    epoch_order(source, 9, 50, True)
    assert np.array_equal(first, epoch_order(StreamSource(7), 3, 50, True))


def test_epochs_seeds_and_names_have_orders_of_their_own() -> None:
    orders = [
        epoch_order(StreamSource(seed), epoch, 50, True, name).tolist()
        for seed in (7, 8)
        for epoch in (0, 1)
        for name in ("data", "validation")
    ]
    assert len({tuple(order) for order in orders}) == 8


def test_without_shuffle_items_come_as_they_lie() -> None:
    assert epoch_order(StreamSource(7), 4, 5, False).tolist() == [0, 1, 2, 3, 4]


def test_the_order_is_pinned() -> None:
    assert epoch_order(StreamSource(7), 0, 10, True).tolist() == [7, 6, 1, 3, 8, 2, 9, 5, 0, 4]
    assert epoch_order(StreamSource(7), 1, 10, True)[:4].tolist() == [3, 5, 7, 8]
