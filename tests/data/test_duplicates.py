"""One content twice."""

from __future__ import annotations

import pytest

from samerun.data.duplicates import Duplicates, Twins, exact_duplicates, refuse_duplicates
from samerun.data.entry import Entry
from samerun.errors import RefusedError


def entry(name: str, content: str, split: str | None = None) -> Entry:
    return Entry(name, 1, content, split=split)


def test_one_content_twice_is_found_and_across_splits_it_is_a_leak() -> None:
    found = exact_duplicates([entry("b", "x", "test"), entry("a", "x", "train"), entry("c", "y"), entry("d", "z")])
    assert found == (Twins(("a", "b"), ("test", "train")),) and found[0].is_leak
    within = exact_duplicates([entry("b", "x", "train"), entry("a", "x", "train")])
    assert within == (Twins(("a", "b"), ("train",)),) and not within[0].is_leak


def test_duplicates_are_counted_in_one_line() -> None:
    twin, near = Twins(("a", "b"), ("test", "train")), Twins(("c", "d"), ("train",), 0.9, "text")
    assert Duplicates((twin,)).in_words() == "1 content more than once, 1 of them across splits"
    words = "1 content more than once, 1 near pair, 1 of them across splits, 3 not looked at"
    assert Duplicates((twin,), (near,), 3).in_words() == words
    assert Duplicates((), ()).in_words() == "0 contents more than once, 0 near pairs"
    document = Duplicates((twin,), (near,), 3).as_json()
    assert (document["leaks"], document["near"][0]["similarity"], document["not_looked_at"]) == (1, 0.9, 3)


def test_they_are_refused_by_name_where_that_is_asked_for() -> None:
    refuse_duplicates(Duplicates())
    with pytest.raises(RefusedError, match="SR-DATA-030") as caught:
        refuse_duplicates(Duplicates((Twins(("a", "b")),)))
    assert caught.value.evidence == ("a = b",)
