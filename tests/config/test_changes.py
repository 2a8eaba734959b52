"""The difference of two configs."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from samerun.config.changes import ABSENT, changed

leaf = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=3)
tree = st.dictionaries(
    st.text(max_size=2),
    st.recursive(leaf, lambda x: st.lists(x, max_size=3) | st.dictionaries(st.text(max_size=2), x, max_size=3)),
)


def test_every_differing_leaf_is_listed_with_both_values() -> None:
    old = {"a": 1, "b": {"c": [1, 2], "d": "x"}, "e": [{"f": 1}], "only_old": 1}
    new = {"a": 2, "b": {"c": [1, 3], "d": "x"}, "e": [{"f": 2}, {"f": 3}], "only_new": None}
    assert changed(old, new) == [
        ("a", 1, 2),
        ("b.c", [1, 2], [1, 3]),
        ("e.0.f", 1, 2),
        ("e.1.f", ABSENT, 3),
        ("only_new", ABSENT, None),
        ("only_old", 1, ABSENT),
    ]


def test_equality_is_that_of_canonical_json() -> None:
    assert changed({"a": 1, "b": [0]}, {"a": 1.0, "b": [0.0]}) == []
    assert changed({"a": 1}, {"a": True}) == [("a", 1, True)]
    assert changed({"a": 1}, {"a": "1"}) == [("a", 1, "1")]
    assert changed({"a": [1]}, {"a": [True]}) == [("a", [1], [True])]


@settings(max_examples=40)
@given(tree)
def test_nothing_differs_from_itself(value: dict[str, object]) -> None:
    assert changed(value, value) == []


@settings(max_examples=40)
@given(tree, tree)
def test_both_directions_agree(old: dict[str, object], new: dict[str, object]) -> None:
    assert repr(changed(old, new)) == repr([(path, a, b) for path, b, a in changed(new, old)])
