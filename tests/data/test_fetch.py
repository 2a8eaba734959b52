"""One item's randomness is a function of its name; a batch is a function of its request."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch
from loader_samples import Failing, Quiet, Unknown, augment, drawing_collate, is_kept, shake

from samerun.data.draws import plan_of
from samerun.data.fetch import ITEM, Fetcher, Mark, Request
from samerun.streams import ambient
from samerun.streams.source import StreamSource


def fetcher(dataset: Any, seed: int = 7, draws: str | None = None, **options: Any) -> Fetcher:
    plan = plan_of(dataset, options.get("transform"), options.get("collate"), draws, options.get("keep"))
    return Fetcher(dataset, plan, seed, **options)


def request(*indices: int, epoch: int = 0, place: int = 0) -> Request:
    return Request(epoch, 0, np.array(indices), place)


def values(item: Any) -> list[float]:
    return [float(item[0]), float(item[1]), float(item[2]), *item[3].tolist()]


def test_an_item_is_the_same_alone_and_in_any_company() -> None:
    made = fetcher(Unknown(9))
    alone = values(made.item(0, 4))
    batch = made.fetch(request(1, 4, 2)).batch
    assert [float(column[1]) for column in batch[:3]] == alone[:3] and batch[3][1].tolist() == alone[3:]


def test_epochs_items_seeds_and_loaders_differ() -> None:
    found = [
        values(fetcher(Unknown(9), seed, name=name).item(epoch, index))[1]
        for seed in (7, 8)
        for name in ("data", "other")
        for epoch in (0, 1)
        for index in (3, 4)
    ]
    assert len(set(found)) == 16


def test_what_is_random_follows_the_id_not_the_index() -> None:
    ids = ["a", "b", "c"]
    first = fetcher(Unknown(3), ids=ids)
    second = fetcher(Unknown(3), ids=lambda index: ids[2 - index])
    assert values(first.item(0, 0))[1:] == values(second.item(0, 2))[1:]
    assert first.ids_of(np.array([2, 0])).tolist() == ["c", "a"]


def test_a_transform_is_handed_the_items_stream() -> None:
    made = fetcher(Quiet(9), transform=augment)
    item = made.item(2, 5)
    stream = StreamSource(7).open(ITEM, epoch=2, item=5)
    assert item[1:] == (stream.uniform(), int(stream.integers(0, 100)), float(stream.numpy().random()))


def test_global_draws_of_a_transform_come_from_the_items_stream() -> None:
    item = fetcher(Quiet(9), transform=shake).item(2, 5)
    with ambient.scope(StreamSource(7).open(ITEM, epoch=2, item=5)):
        assert item[1] == random.random() and torch.equal(item[3], torch.rand(2))


def test_stream_and_global_draws_of_one_item_share_no_number() -> None:
    both = fetcher(Unknown(9), transform=augment).item(0, 5)
    alone = fetcher(Quiet(9), transform=augment).item(0, 5)
    assert both[1:] == alone[1:]
    assert values(both[0])[1:] != values(fetcher(Unknown(9)).item(0, 5))[1:]


def test_a_data_set_may_take_the_stream_itself() -> None:
    class Takes(Quiet):
        draws = "stream"

        def __getitem__(self, index: int, stream: Any = None) -> Any:
            return index, stream.uniform()

    assert fetcher(Takes(9)).item(0, 5)[1] == StreamSource(7).open(ITEM, epoch=0, item=5).uniform()


def test_draws_are_counted_for_the_batch() -> None:
    assert fetcher(Quiet(9), transform=augment).fetch(request(1, 2)).counts == {ITEM: 6}
    assert fetcher(Quiet(9)).fetch(request(1, 2)).counts == {}


def test_a_collate_function_draws_by_the_place_of_its_batch() -> None:
    made = fetcher(Quiet(9), collate=drawing_collate)
    first, again, other = (made.fetch(request(1, 2, place=place)).batch[1] for place in (0, 0, 2))
    assert first == again != other


def test_several_items_are_read_at_once_where_the_data_set_can() -> None:
    class Many(Quiet):
        def __getitems__(self, indices: list[int]) -> list[int]:
            return [10 * index for index in indices]

    assert fetcher(Many(9)).fetch(request(1, 2)).batch.tolist() == [10, 20]
    assert isinstance(fetcher(Many(9), transform=augment).item(0, 1)[0], tuple)


def test_a_filter_comes_before_the_transform() -> None:
    made = fetcher(Quiet(9), keep=is_kept, transform=augment, is_collated=False)
    entries = made.fetch(request(3, 4)).batch
    assert entries[0].item is Mark.REJECTED and entries[0].counts == {}
    assert entries[1].item[0][1] == 4 and entries[1].counts == {ITEM: 3}


def test_what_user_code_raises_names_the_item() -> None:
    with pytest.raises(KeyError, match="five is broken") as caught:
        fetcher(Failing(9), ids=lambda index: f"item-{index}").item(3, 5)
    assert caught.value.__notes__ == ["while loading item 'item-5' of epoch 3"]


def test_an_error_before_a_filter_stands_where_the_item_would() -> None:
    entries = fetcher(Failing(9), keep=is_kept, is_collated=False).fetch(request(4, 5, 6)).batch
    assert len(entries) == 2 and entries[0].error is None and isinstance(entries[1].error, KeyError)
