"""The index: what it says is what is in the bundle, and what it cannot say is refused."""

from __future__ import annotations

from typing import Any

import pytest

from samerun.base.sealed import seal, unseal
from samerun.errors import DamageError, MissingError
from samerun.record.bundle.index import BundleIndex, MemberFacts, parse_index

INDEX = BundleIndex(
    "digits",
    "0123abcd",
    {"data/x.csv": MemberFacts(3, "sha256:" + "0" * 64)},
    (0, 6),
    (2,),
    {"input/x.csv": ("data/x.csv",)},
)


def test_an_index_reads_back_as_it_was() -> None:
    assert parse_index(INDEX.as_bytes(), "bundle.json") == INDEX
    assert INDEX.folder == "digits-0123abcd"


@pytest.mark.parametrize(
    "wrong",
    [
        {"schema": "samerun.other"}, {"format": 0}, {"format": "1"}, {"name": "../x"}, {"name": 3}, {"id8": "0123"},
        {"id8": None}, {"members": []}, {"members": {"a": {"size": -1, "sha256": "sha256:" + "0" * 64}}},
        {"members": {"a": {"size": True, "sha256": "sha256:" + "0" * 64}}}, {"members": {"a": None}},
        {"members": {"a": {"size": 1, "sha256": "x"}}}, {"checkpoints": 3}, {"checkpoints": ["0"]}, {"without": [-1]},
        {"data": {"x": ["gone"]}}, {"data": {"x": 3}}, {"data": None},
    ],
)  # fmt: skip
def test_an_index_that_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    document = unseal(INDEX.as_bytes(), "bundle.json")
    with pytest.raises(DamageError, match="SR-BUNDLE-012"):
        parse_index(seal({**document, **wrong}), "bundle.json")


def test_an_edited_index_and_a_later_one_are_told_apart() -> None:
    with pytest.raises(DamageError, match="SR-DAMAGE-003"):
        parse_index(INDEX.as_bytes().replace(b'"size":3', b'"size":4'), "bundle.json")
    with pytest.raises(MissingError, match="SR-BUNDLE-014"):
        parse_index(seal({**unseal(INDEX.as_bytes(), "x"), "format": 2}), "bundle.json")
