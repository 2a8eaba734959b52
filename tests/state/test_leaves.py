"""Plain values: each has one exact spelling, and no two different values share one."""

from __future__ import annotations

import json
import math
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samerun.errors import DamageError, UsageError
from samerun.state import leaves
from samerun.state.join import unpack
from samerun.state.packed import Packed
from samerun.state.tree import pack

plain_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.binary(max_size=40) | st.floats() | st.complex_numbers(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=4)
    ),
    max_leaves=12,
)


def bits(value: float) -> bytes:
    return struct.pack(">d", value)


def there_and_back(value: Any) -> Any:
    packed = pack(value)
    return unpack(Packed(json.loads(json.dumps(packed.structure)), packed.tensors, packed.layout))


@given(plain_values)
def test_a_plain_tree_comes_back_with_types_and_bits(tree: Any) -> None:
    back = there_and_back(tree)
    assert pack(back).structure == pack(tree).structure
    assert type(back) is type(tree)


def from_bits(text: str) -> float:
    value: float = struct.unpack(">d", bytes.fromhex(text))[0]
    return value


NANS = [from_bits(text) for text in ("7ff800000000002a", "fff8000000000000", "7ff0000000000001")]


@pytest.mark.parametrize("value", [0.0, -0.0, math.inf, -math.inf, 5e-324, 1.7976931348623157e308, *NANS])
def test_a_double_keeps_its_bits(value: float) -> None:
    assert bits(there_and_back(value)) == bits(value)


@pytest.mark.parametrize("value", [0, -1, 2**53 - 1, 2**53, -(2**53), 2**64, 10**5000], ids=hex)
def test_a_whole_number_of_any_size_comes_back(value: int) -> None:
    assert there_and_back(value) == value


@pytest.mark.parametrize("text", ["", "é", "\ud800", "a/b~c", "\x00", "😀"])
def test_any_text_comes_back_also_as_a_key(text: str) -> None:
    assert there_and_back({text: text}) == {text: text}


def test_values_that_python_calls_equal_have_different_spellings() -> None:
    values = [1, True, 1.0, "1", b"1", 1 + 0j, [1], (1,), 0, False, 0.0, -0.0, None, "", "None", "nan", math.nan]
    assert len({json.dumps(pack(value).structure) for value in values}) == len(values)


@pytest.mark.parametrize("key", [True, 1.0, None, (1,), b"k", 1j])
def test_a_key_that_is_neither_text_nor_whole_number_is_refused_by_name(key: Any) -> None:
    with pytest.raises(UsageError) as caught:
        pack({"outer": {key: 1}})
    assert caught.value.code == "SR-STATE-003"
    assert "outer" in caught.value.what and type(key).__name__ in caught.value.what


def test_number_keys_and_text_keys_stay_apart() -> None:
    tree = {1: "number", "1": "text", 2**70: "large", "0x1": "hexadecimal text"}
    back = there_and_back(tree)
    assert back == tree and [type(key) for key in back] == [int, str, int, str]


def test_paths_of_different_keys_never_meet() -> None:
    keys: list[object] = [
        1,
        "1",
        "-1",
        -1,
        "",
        "a",
        "a/b",
        "a~1b",
        "a~b",
        "~2",
        "~21",
        "__metadata__",
        "0x1",
        2**60,
        "²",
        "\ud800",
        "~3eda080",
    ]
    assert len({leaves.path_part(key) for key in keys}) == len(keys)
    assert all("/" not in leaves.path_part(key) for key in keys)


@pytest.mark.parametrize(
    "node",
    [
        {"what": 1},
        {"float": "x"},
        {"int": "z"},
        {"bytes": "%%"},
        {"complex": [1]},
        {"dict": [[1.5, 1]]},
        {"a": 1, "b": 2},
        {},
        1.5,
    ],
)
def test_a_node_that_was_never_written_is_damage(node: Any) -> None:
    with pytest.raises(DamageError) as caught:
        unpack(Packed(node))
    assert caught.value.code == "SR-STATE-020"


def test_the_type_of_a_refused_value_is_named_as_a_person_would() -> None:
    assert leaves.type_name(1) == "int"
    assert leaves.type_name(Packed(1)) == "samerun.state.packed.Packed"
