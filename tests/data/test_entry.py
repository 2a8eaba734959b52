"""Entries and the digest over them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from samerun.base.canon import canonical_bytes
from samerun.base.digest import sha256
from samerun.data.entry import Entry, LeftOut, manifest_digest

names = st.text(st.characters(exclude_categories=["Cs"]))


@given(st.lists(st.tuples(names, st.integers(0, 2**50)), unique_by=lambda pair: pair[0]))
def test_the_digest_is_over_the_canonical_json_of_ids_sizes_and_contents(pairs: list[tuple[str, int]]) -> None:
    entries = [Entry(name, size, sha256(name.encode())) for name, size in pairs]
    plain = [{"id": one.id, "sha256": one.sha256, "size": one.size} for one in sorted(entries)]
    assert manifest_digest(entries) == manifest_digest(entries[::-1]) == sha256(canonical_bytes(plain))


def test_what_belongs_together_is_not_in_the_digest() -> None:
    one = Entry("a", 1, "sha256:x")
    assert manifest_digest([one]) == manifest_digest([one._replace(label="b", group="c", time="d", split="e")])


def test_plain_values_leave_out_what_there_is_none_of() -> None:
    assert Entry("a", 1, "x", group="g").as_json() == {"id": "a", "size": 1, "sha256": "x", "group": "g"}
    assert LeftOut("a", "why").as_json() == {"id": "a", "reason": "why"}
