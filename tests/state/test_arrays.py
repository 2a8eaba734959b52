"""NumPy leaves: every dtype whose bytes mean one value comes back bit for bit, every other one is refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from samerun.errors import DamageError, UsageError
from samerun.state import arrays
from samerun.state.digest import digest_tree
from samerun.state.join import unpack
from samerun.state.tree import pack

DTYPES = [
    "?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "g", "c8", "c16", "G", ">f4", ">i8", ">c16",
    "M8[ns]", "m8[D]", "M8[25s]", ">M8[us]", "U5", ">U3", "S7",
]  # fmt: skip


def filled(dtype: str, shape: tuple[int, ...] = (3, 4)) -> np.ndarray[Any, Any]:
    kind = np.dtype(dtype)
    if kind.kind in "US":
        return np.array([[f"{i}{j}" for j in range(shape[1])] for i in range(shape[0])]).astype(kind)
    if kind.kind in "Mm":
        return np.arange(12).reshape(shape).astype(np.int64).view(f"{kind.str[0]}i8").view(kind)
    return (np.arange(12).reshape(shape) % 5).astype(kind)


@pytest.mark.parametrize("dtype", DTYPES)
def test_an_array_of_every_dtype_comes_back(dtype: str) -> None:
    array = filled(dtype)
    back = unpack(pack(array))
    assert back.dtype == array.dtype and back.shape == array.shape and back.tobytes() == array.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_scalar_of_every_dtype_comes_back_as_a_scalar(dtype: str) -> None:
    scalar = filled(dtype)[1, 2]
    back = unpack(pack({"x": scalar}))["x"]
    assert type(back) is type(scalar) and back.dtype == scalar.dtype and back == scalar


@pytest.mark.parametrize(
    ("array", "reason"),
    [
        (np.zeros(2, [("a", "i4"), ("b", "f8")]), "structured"),
        (np.array([1, "a"], object), "object"),
        (np.zeros(2, "V4"), "kind 'V'"),
        (np.zeros(2, np.dtypes.StringDType()), "kind 'T'"),
    ],
)
def test_a_dtype_whose_bytes_are_no_value_is_refused_with_the_reason(array: np.ndarray[Any, Any], reason: str) -> None:
    with pytest.raises(UsageError) as caught:
        pack({"deep": [array]})
    assert caught.value.code == "SR-STATE-006"
    assert "deep/0" in caught.value.what and reason in caught.value.evidence[0]


@pytest.mark.parametrize("array", [np.rec.array([1.0]), np.ma.masked_array([1, 2], [True, False])])
def test_a_subclass_of_array_is_refused(array: Any) -> None:
    with pytest.raises(UsageError, match="SR-STATE-001"):
        pack(array)


def test_the_unused_bytes_of_long_double_are_no_part_of_the_value() -> None:
    clean, dirty = np.zeros(3, "g"), np.zeros(3, "g")
    dirty.view(np.uint8).reshape(3, -1)[:, 10:] = 255 if arrays._PADS else 0
    assert digest_tree(clean) == digest_tree(dirty)
    assert digest_tree(clean[0]) == digest_tree(dirty[0])


@pytest.mark.parametrize(
    "array",
    [
        np.array(3.0),
        np.zeros((0, 3)),
        np.arange(12).reshape(3, 4)[::2, ::-1],
        np.arange(3)[::-1],
        np.broadcast_to(1.0, (2, 3)),
    ],
    ids=["0-d", "empty", "strided", "reversed", "broadcast"],
)
def test_shape_and_values_do_not_depend_on_strides(array: np.ndarray[Any, Any]) -> None:
    back = unpack(pack(array))
    assert back.shape == array.shape and np.array_equal(back, array)
    assert digest_tree(array) == digest_tree(np.array(array, order="C")) == digest_tree(np.array(array, order="F"))


def test_fortran_order_comes_back_as_fortran_order() -> None:
    array = np.asfortranarray(np.arange(12.0).reshape(3, 4))
    assert unpack(pack(array)).strides == array.strides


@pytest.mark.parametrize("text", ["O", "V8", "<f3", "i4,i4", "<M8[x]", "f8", "|O", "<q", ""])
def test_a_dtype_that_was_never_written_is_damage(text: str) -> None:
    with pytest.raises(DamageError):
        arrays.parse_dtype(text)


@pytest.mark.parametrize("node", [{"dtype": "<f4", "hex": "00"}, {"dtype": "|O", "hex": "00" * 8}])
def test_a_scalar_that_does_not_fit_its_dtype_is_damage(node: dict[str, str]) -> None:
    with pytest.raises(DamageError):
        arrays.parse_scalar(node)
