"""Names as bytes: no two names meet, and what is no name is refused."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from samerun.errors import UsageError
from samerun.streams.path import CHILD_MARK, encode_generator, encode_name, encode_part, readable_name, with_keywords

# What tempts: separators, empties, twins of integers and text, text that looks like our own encoding
PARTS = [
    "",
    "a",
    "b",
    "a/b",
    "/",
    "ab",
    "1",
    "-1",
    "01",
    0,
    1,
    -1,
    10,
    2**200,
    "s\0\0\0\x01a",
    "i\0\0\0\x011",
    "\u00e9",
    "e\u0301",
]


def test_no_two_names_of_up_to_three_parts_meet() -> None:
    names = [name for size in range(4) for name in itertools.product(PARTS, repeat=size)]
    kinds = {tuple((type(part), part) for part in name) for name in names}
    assert len({encode_name(name) for name in names}) == len(kinds) == len(names)


def test_children_and_generators_meet_no_name() -> None:
    names = {encode_name(name) for size in range(3) for name in itertools.product(PARTS, repeat=size)}
    derived = {encode_name(("a",)) + CHILD_MARK + encode_name(name) for name in itertools.product(PARTS, repeat=1)}
    derived |= {encode_name(("a",)) + encode_generator(kind) for kind in ("numpy", "python", "torch.cpu")}
    assert len(derived) == len(PARTS) + 3
    assert not names & derived


def test_the_encoding_is_tag_length_and_content() -> None:
    assert encode_part("ab") == b"s\x00\x00\x00\x02ab"
    assert encode_part(-17) == b"i\x00\x00\x00\x03-17"
    assert encode_part("") == b"s\x00\x00\x00\x00"
    assert encode_part("é") == b"s\x00\x00\x00\x02\xc3\xa9"
    assert encode_part(10**100) == b"i\x00\x00\x00\x65" + str(10**100).encode()


def test_numpy_integers_and_text_subclasses_are_what_they_hold() -> None:
    class Name(str):
        pass

    assert encode_part(np.int32(-3)) == encode_part(-3)  # type: ignore[arg-type]
    assert encode_part(np.uint64(2**64 - 1)) == encode_part(2**64 - 1)  # type: ignore[arg-type]
    assert encode_part(Name("x")) == encode_part("x")


@pytest.mark.parametrize(
    "part", [True, False, np.bool_(True), 1.0, None, b"x", ("a",), np.float32(1), "\ud800", object()]
)
def test_what_is_no_part_is_refused(part: Any) -> None:
    with pytest.raises(UsageError) as caught:
        encode_part(part)
    assert caught.value.code == "SR-STREAM-004"


def test_keywords_follow_sorted_by_name() -> None:
    assert with_keywords(("x", 1), {"b": 2, "a": "y"}) == ("x", 1, "a", "y", "b", 2)


def test_a_name_for_people_cannot_be_misread() -> None:
    assert readable_name(encode_name(("data", "order", "epoch", 3))) == "data/order/epoch/3"
    assert readable_name(encode_name(("a/b", "", "3", 3, "-4", "é x"))) == '"a/b"/""/"3"/3/"-4"/é x'
    assert readable_name(encode_name(("a",)) + CHILD_MARK + encode_name(("b",))) == "a/child/b"
