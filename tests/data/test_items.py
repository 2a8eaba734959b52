"""Items one by one, with marks that `seek` finds again."""

from __future__ import annotations

from typing import Any

import pytest
from loader_samples import Counting, Failing, Quiet, Rewinding

from samerun.data.draws import plan_of
from samerun.data.fetch import Fetcher
from samerun.data.items import Items, MapItems, StreamItems
from samerun.data.requests import Position, Requests
from samerun.errors import UsageError


def mapped(dataset: Any) -> MapItems:
    fetcher = Fetcher(dataset, plan_of(dataset, None, None, None), 7, is_collated=False)
    return MapItems(fetcher, Requests(7, len(dataset), 4, shuffle=True, drop_last=False), None, 0)


def streamed(dataset: Any) -> StreamItems:
    return StreamItems(dataset, Fetcher(dataset, plan_of(dataset, None, None, "none"), 7))


def taken(items: Items, number: int) -> list[Any]:
    found = []
    for _ in range(number):
        one = items.take()
        found.append(None if one is None else one[0])
    return found


@pytest.mark.parametrize("items", [mapped(Quiet(5)), streamed(Counting(5)), streamed(Rewinding(5))])
def test_an_epoch_ends_with_none_and_the_next_one_begins(items: Items) -> None:
    found = taken(items, 8)
    assert found[5] is None and None not in found[:5] + found[6:]
    assert items.position == Position(1, 2) and items.before == 7


@pytest.mark.parametrize(
    "make", [lambda: mapped(Quiet(5)), lambda: streamed(Counting(5)), lambda: streamed(Rewinding(5))]
)
def test_what_comes_after_a_mark_comes_again_in_another_source(make: Any) -> None:
    for cut in range(12):
        whole = make()
        taken(whole, cut)
        place = whole.place
        wanted = [(whole.position, item) for item in taken(whole, 6)]
        again = make()
        again.seek(again.parse(whole.state(place)))
        assert [(again.position, item) for item in taken(again, 6)] == wanted


def test_turn_begins_an_epoch_only_behind_the_last_item() -> None:
    items = mapped(Quiet(2))
    taken(items, 1)
    items.turn()
    assert items.position == Position(0, 1)
    taken(items, 1)
    items.turn()
    assert items.position == Position(1, 0)


def test_a_failing_item_leaves_the_mark_before_it() -> None:
    items = mapped(Failing(8))
    with pytest.raises(KeyError):
        taken(items, 8)
    before = items.position
    with pytest.raises(KeyError):
        taken(items, 1)
    assert items.position == before


def test_a_stream_does_not_go_on_behind_an_error_before_it_is_put_back() -> None:
    items = streamed(Counting(5))
    place = items.place
    taken(items, 2)
    items.break_off()
    with pytest.raises(UsageError, match="SR-DATA-014"):
        items.take()
    items.seek(place)
    assert taken(items, 2) == [0, 1]


def test_a_stream_that_gives_nothing_at_all_is_an_error() -> None:
    with pytest.raises(UsageError, match="SR-DATA-009"):
        taken(streamed(Counting(0)), 2)


def test_a_stream_is_told_its_epoch() -> None:
    dataset = Rewinding(2)
    taken(streamed(dataset), 4)
    assert dataset.epoch == 1


@pytest.mark.parametrize("state", [{"epoch": 0, "cursor": 6, "items": 5}, {"epoch": 0, "cursor": 0, "items": 4}, {}])
def test_a_mark_of_another_data_set_is_refused(state: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="SR-DATA-010"):
        mapped(Quiet(5)).parse(state)
