"""Chronological splits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samerun.data.cuts import check_cuts, choose_cuts, order_of, place_of
from samerun.errors import UsageError

PARTS = {"train": 0.5, "val": 0.25, "test": 0.25}
DAYS = [f"2024-01-{day:02d}" for day in range(1, 9)]


def test_splits_begin_where_their_fractions_say_and_follow_each_other() -> None:
    cuts = choose_cuts(DAYS, PARTS)
    assert cuts == {"train": None, "val": "2024-01-05", "test": "2024-01-07"}
    order = check_cuts(cuts)
    assert [place_of(day, cuts, order) for day in DAYS] == ["train"] * 4 + ["val"] * 2 + ["test"] * 2


def test_times_are_numbers_where_all_are_and_else_text() -> None:
    assert sorted(["10", "9", "-1"], key=order_of(["10", "9", "-1"])) == ["-1", "9", "10"]
    assert sorted(["10", "9", "x"], key=order_of(["10", "9", "x"])) == ["10", "9", "x"]
    assert sorted(["10", "nan", "9"], key=order_of(["10", "nan", "9"])) == ["10", "9", "nan"]
    order = check_cuts({"train": None, "test": "10"})
    assert place_of("9", {"train": None, "test": "10"}, order) == "train"
    with pytest.raises(UsageError, match="SR-DATA-033"):
        place_of("May", {"train": None, "test": "10"}, order)


@given(st.lists(st.integers(0, 20).map(str), min_size=1), st.lists(st.integers(0, 20).map(str)))
def test_items_of_one_time_are_never_parted_and_new_ones_move_none(times: list[str], more: list[str]) -> None:
    cuts = choose_cuts(times, PARTS)
    order = check_cuts(cuts)
    before = {time: place_of(time, cuts, order) for time in times}
    after = {time: place_of(time, cuts, order) for time in [*more, *times]}
    assert {time: after[time] for time in times} == before
    names = list(cuts)
    places = [names.index(after[time]) for time in sorted(after, key=float)]
    assert places == sorted(places)


@pytest.mark.parametrize(
    "cuts",
    [
        {},
        {"train": "1", "test": "2"},
        {"train": None, "test": None},
        {"train": None, "val": "2", "test": "2"},
        {"train": None, "val": "10", "test": "9"},
    ],
)
def test_cuts_that_do_not_rise_are_refused(cuts: dict[str, str | None]) -> None:
    with pytest.raises(UsageError, match="SR-DATA-033"):
        check_cuts(cuts)
