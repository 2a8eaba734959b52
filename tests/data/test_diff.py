"""Two manifests side by side."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from samerun.data.diff import Differences, content_differences, diff
from samerun.data.entry import Entry
from samerun.data.manifest import Manifest


def of(**contents: str) -> Manifest:
    return Manifest(tuple(Entry(name, 1, content) for name, content in sorted(contents.items())))


def test_each_class_is_named_and_counted() -> None:
    found = diff(of(a="1", b="2", c="3", d="4"), of(a="1", b="9", e="3", f="7"))
    assert found == Differences(missing=("d",), extra=("f",), altered=("b",), moved=(("c", "e"),), of=6)
    assert found.in_words() == "1 missing, 1 extra, 1 altered, 1 moved of 6 files" and found
    assert found.as_json()["moved"] == [["c", "e"]] and found.counts()["relabelled"] == 0


def test_rows_of_a_table_are_called_items() -> None:
    assert diff(replace(of(a="1"), kind="items"), of(a="1")).in_words() == "nothing differs of 1 item"


def test_equal_manifests_differ_in_nothing() -> None:
    found = diff(of(a="1"), of(a="1"))
    assert not found and found.in_words() == "nothing differs of 1 file"


def test_of_two_equal_contents_that_went_each_moves_once() -> None:
    found = diff(of(a="1", b="1", c="1"), of(x="1", y="1"))
    assert (found.moved, found.missing, found.extra) == ((("a", "x"), ("b", "y")), ("c",), ())


def test_another_label_or_group_of_the_same_content_is_told_apart() -> None:
    one = Manifest((Entry("a", 1, "1", label="cat"),))
    found = diff(one, Manifest((Entry("a", 1, "1", label="dog", split="test"),)))
    assert found == Differences(relabelled=("a",), of=1)
    assert not diff(one, Manifest((Entry("a", 1, "1", label="cat", split="test"),)))


contents = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("123"))


@given(contents, contents)
def test_every_id_is_in_one_class_and_the_other_way_round_mirrors_it(old: dict[str, str], new: dict[str, str]) -> None:
    found, back = content_differences(old, new), content_differences(new, old)
    assert (found.missing, found.extra, found.altered) == (back.extra, back.missing, back.altered)
    named = [*found.missing, *found.extra, *found.altered, *(name for pair in found.moved for name in pair)]
    same = [name for name in old if new.get(name) == old[name]]
    assert sorted([*named, *same]) == sorted(old.keys() | new.keys())
    assert all(old[one] == new[other] for one, other in found.moved)
