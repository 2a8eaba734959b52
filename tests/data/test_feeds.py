"""Feeds own their position and move it only with a complete batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from loader_samples import Failing, Quiet

from samerun.data.draws import plan_of
from samerun.data.feeds import Columns, Indexed
from samerun.data.fetch import Fetcher
from samerun.data.inmemory import InMemory
from samerun.data.requests import Position, Requests
from samerun.errors import UsageError


def indexed(dataset: Any, batch_size: int = 4) -> Indexed:
    fetcher = Fetcher(dataset, plan_of(dataset, None, None, None), 7)
    return Indexed(fetcher, requests(len(dataset), batch_size), None, 0)


def requests(n: int, batch_size: int) -> Requests:
    return Requests(7, n, batch_size, shuffle=True, drop_last=False)


def columns(n: int = 10) -> Columns:
    data = InMemory((torch.arange(n), np.arange(n)))
    return Columns(data, requests(n, 4), Fetcher(data, plan_of(data, None, None, None), 7))


@pytest.mark.parametrize("make", [columns, lambda: indexed(Quiet(10))])
def test_the_position_follows_the_batches_over_the_end_of_an_epoch(make: Any) -> None:
    feed = make()
    positions = []
    for _ in range(4):
        assert feed.take() is not None
        positions.append(feed.position)
    assert positions == [Position(0, 4), Position(0, 8), Position(1, 0), Position(1, 4)]


def test_columns_and_items_come_in_the_same_order_with_the_same_counts() -> None:
    first, second = columns(), indexed(Quiet(10))
    for _ in range(5):
        a, b = first.take(), second.take()
        assert a is not None and b is not None
        assert a.ids.tolist() == b.ids.tolist() == a.batch[0].tolist() == a.batch[1].tolist() == b.batch[1].tolist()
        assert dict(a.counts) == dict(b.counts)


def test_a_failed_batch_is_asked_for_again() -> None:
    feed = indexed(Failing(10), batch_size=10)
    for _ in range(2):
        with pytest.raises(KeyError):
            feed.take()
        assert feed.position == Position()


@pytest.mark.parametrize(
    "state",
    [
        {"epoch": 0, "cursor": 4, "items": 11},
        {"epoch": 0, "cursor": 10, "items": 10},
        {"epoch": 0, "cursor": 4},
        {"epoch": 0, "cursor": "4", "items": 10},
    ],
)
def test_a_position_of_another_data_set_is_refused(state: dict[str, Any]) -> None:
    feed = columns()
    with pytest.raises(UsageError, match="SR-DATA-010"):
        feed.load(state)
    assert feed.position == Position()
