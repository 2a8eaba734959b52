"""Positions and the batches that follow from them."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samerun.data.requests import Position, Requests


def requests(n: int, batch_size: int, *, drop_last: bool = False, shuffle: bool = True) -> Requests:
    return Requests(7, n, batch_size, shuffle=shuffle, drop_last=drop_last)


@given(st.integers(1, 40), st.integers(1, 12), st.booleans())
def test_an_epoch_hands_out_each_item_once_in_batches_of_one_size(n: int, batch_size: int, drop_last: bool) -> None:
    made = requests(n, batch_size, drop_last=drop_last)
    if made.end == 0:
        return
    whole = made.batches_left(Position())
    batches = list(islice(made.following(Position()), 2 * whole))
    for epoch in (0, 1):
        mine = [request for request in batches if request.epoch == epoch]
        items = [item for request in mine for item in request.indices.tolist()]
        assert len(mine) == whole
        assert len(items) == len(set(items)) == (n - n % batch_size if drop_last else n)
        assert all(len(request.indices) == batch_size for request in mine[:-1])


@given(st.integers(1, 40), st.integers(1, 12), st.booleans(), st.integers(0, 20))
def test_what_follows_a_position_does_not_depend_on_how_it_was_reached(
    n: int, batch_size: int, drop_last: bool, cut: int
) -> None:
    made = requests(n, batch_size, drop_last=drop_last)
    if made.end == 0:
        return
    whole = list(islice(made.following(Position()), cut + 6))
    position = Position()
    for _ in range(cut):
        position = made.after(position)
    rest = list(islice(requests(n, batch_size, drop_last=drop_last).following(position), 6))
    assert [(r.epoch, r.start, r.place, r.indices.tolist()) for r in rest] == [
        (r.epoch, r.start, r.place, r.indices.tolist()) for r in whole[cut:]
    ]


def test_behind_the_last_batch_stands_the_next_epoch() -> None:
    assert requests(10, 4).after(Position(0, 8)) == Position(1, 0)
    assert requests(10, 4, drop_last=True).after(Position(0, 4)) == Position(1, 0)


def test_the_order_is_counted_once_an_epoch_also_when_it_is_drawn_again() -> None:
    made = requests(10, 4)
    assert made.counts(Position(1, 0)) == {"data/order/epoch/{epoch}": 10}
    assert made.counts(Position(1, 4)) == {}
    assert requests(10, 4, shuffle=False).counts(Position()) == {}


@pytest.mark.parametrize(("cursor", "left"), [(0, 3), (4, 2), (8, 1), (9, 1)])
def test_a_short_last_batch_counts_as_one(cursor: int, left: int) -> None:
    assert requests(10, 4).batches_left(Position(0, cursor)) == left


def test_old_orders_are_let_go() -> None:
    made = requests(10, 4)
    for epoch in range(6):
        made.order(epoch)
    assert len(made._orders) <= 2
