"""Canonical JSON: the vectors of RFC 8785, equality with the reference, and a reader that takes nothing else."""

from __future__ import annotations

import json
import math
import struct
import sys
from enum import IntEnum, StrEnum
from typing import Any

import numpy as np
import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from samerun.base.canon import canonical_bytes, parse_json
from samerun.errors import DamageError

# RFC 8785, appendix B
NUMBERS = [
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"),
    ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"),
    ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555554", "333333333.33333325"),
    ("41b3de4355555555", "333333333.3333333"),
    ("41b3de4355555556", "333333333.3333334"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]


@pytest.mark.parametrize(("bits", "text"), NUMBERS)
def test_numbers_are_spelled_as_in_the_rfc(bits: str, text: str) -> None:
    value = struct.unpack(">d", bytes.fromhex(bits))[0]
    assert canonical_bytes(value) == text.encode()
    assert canonical_bytes([value]) == f"[{text}]".encode()


def test_keys_are_sorted_by_utf_16_as_in_the_rfc() -> None:
    # RFC 8785, 3.2.3: a code point beyond the BMP comes before U+FB33
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    spelled = canonical_bytes(dict.fromkeys(keys, 0))
    assert list(json.loads(spelled)) == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]


def test_text_is_escaped_as_in_the_rfc() -> None:
    assert canonical_bytes('\u20ac$\u000f\u000aA\'B"\\\\"/') == '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'.encode()
    assert canonical_bytes("\x7f\u2028") == '"\x7f\u2028"'.encode()


def test_what_json_has_no_number_for_becomes_text() -> None:
    assert canonical_bytes([math.nan, math.inf, -math.inf]) == b'["NaN","Infinity","-Infinity"]'
    assert canonical_bytes([2**53 - 1, 2**53, -(2**53), 2**127]) == (
        b'[9007199254740991,"9007199254740992","-9007199254740992","170141183460469231731687303715884105728"]'
    )


def test_tuples_are_lists_and_enums_are_their_values() -> None:
    class Colour(StrEnum):
        RED = "red"

    class Size(IntEnum):
        SMALL = 1

    assert canonical_bytes({Colour.RED: (Size.SMALL, Colour.RED)}) == b'{"red":[1,"red"]}'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.int8(-3), "-3"),
        (np.uint64(2**63), '"9223372036854775808"'),
        (np.float64(0.1), "0.1"),
        (np.float32(0.5), "0.5"),
        (np.float16("nan"), '"NaN"'),
        (np.bool_(True), "true"),
        (np.longdouble(2), "2"),
    ],
)
def test_numpy_scalars_count_as_the_number_they_hold(value: Any, text: str) -> None:
    assert canonical_bytes({"x": value}) == f'{{"x":{text}}}'.encode()


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"a": [1, {"b": {1, 2}}]}, "$.a[1].b"),
        ({"a": b"x"}, "$.a"),
        ({1: 2}, "$: key 1"),
        ({"a": {None: 2}}, "$.a: key None"),
        ([1j], "$[0]"),
        (["ok", "\ud800"], "$[1]"),
        ({"\udfff": 1}, "$: "),
        ([np.zeros(2)], "$[0]"),
        ({"a": object}, "$.a"),
    ],
)
def test_anything_else_is_refused_with_its_path(value: Any, path: str) -> None:
    with pytest.raises(TypeError) as caught:
        canonical_bytes(value)
    assert path in str(caught.value)


def test_a_tree_without_end_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(TypeError, match="nested deeper"):
        canonical_bytes(endless)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.floats(-1e-3, 1e-3)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=20,
)


@settings(max_examples=300, deadline=None, database=None)
@given(JSON)
def test_the_fast_spelling_equals_the_reference(value: Any) -> None:
    assert canonical_bytes(value) == rfc8785.dumps(value)


@settings(max_examples=300, deadline=None, database=None)
@given(JSON)
def test_what_was_written_is_read_and_spelled_the_same_again(value: Any) -> None:
    spelled = canonical_bytes(value)
    assert canonical_bytes(parse_json(spelled, "x")) == spelled


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b'{"a":1,"a":1}',
        b'{"a":{"b":1,"b":2}}',
        b"NaN",
        b"[Infinity]",
        b"[-Infinity]",
        b"\xff",
        b"\xef\xbb\xbf1",
        b'"\\ud800"',
        b'{"\\udc00":1}',
        b"[1] 2",
        b"1e999",
        b"-" + b"9" * 400,
        b"[" * 100_000,
        b"{'a':1}",
        b"[1,]",
        b'"\x00"',
    ],
)
def test_what_we_never_write_is_damage(data: bytes) -> None:
    with pytest.raises(DamageError) as caught:
        parse_json(data, "runs/x/manifest.json")
    assert caught.value.code == "SR-DAMAGE-001"
    assert "runs/x/manifest.json" in str(caught.value)


def test_a_double_beyond_2_53_comes_back_as_the_same_double() -> None:
    for value in (2.0**53, 2.0**60, 1e20, -1e20, 1e300, sys.float_info.max):
        assert parse_json(canonical_bytes(value), "x") == value
        assert type(parse_json(canonical_bytes(value), "x")) is float
