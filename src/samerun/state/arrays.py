"""NumPy leaves: the bytes of an array or scalar in C order, and back, for every dtype whose bytes mean one value.

A dtype is spelled as NumPy's `dtype.str` (`<f4`, `>i2`, `<M8[ns]`, `<U5`), so byte order is part of it. Structured,
object and void dtypes are refused by name. torch tensors live in tensors.py.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from samerun.errors import UsageError
from samerun.state.leaves import damaged

Array = np.ndarray[Any, Any]

_KINDS = "biufcmMUS"
_SPELLING = re.compile(r"[<>|=]([biufcUS])\d+|[<>][mM]8(\[[0-9a-zA-Z]+\])?")
_PADS = np.finfo(np.longdouble).nmant == 63
"""Whether long double is x86's 80 bits in 16 bytes, six of which hold leftovers that are no part of the value."""


def dtype_text(dtype: np.dtype[Any], path: str) -> str:
    """Return the spelling of a dtype, or raise UsageError (SR-STATE-006) saying why it cannot be stored."""
    why = _refusal(dtype)
    if why is None:
        return dtype.str
    raise UsageError(
        "SR-STATE-006",
        f"{path or 'the state'} is a NumPy value of dtype {dtype}, which a state cannot hold",
        evidence=[why],
        do="store its fields or elements as arrays of numbers, text or bytes",
    )


def _refusal(dtype: np.dtype[Any]) -> str | None:
    if dtype.names is not None or dtype.subdtype is not None:
        return "structured: between its fields may lie bytes that mean nothing, so equal values could differ"
    if dtype.kind == "O":
        return "object: it holds references to Python objects, not values"
    if dtype.kind not in _KINDS or (dtype.kind in "US" and dtype.itemsize == 0):
        return f"kind {dtype.kind!r}: its bytes do not say a value by themselves"
    return None


def parse_dtype(text: str) -> np.dtype[Any]:
    """Return the dtype of a stored spelling; one that `dtype_text` never wrote is a DamageError."""
    try:
        dtype = np.dtype(text) if _SPELLING.fullmatch(text) else None
    except TypeError:
        dtype = None
    if dtype is None or dtype.str != text:
        raise damaged(f"it names the NumPy dtype {text!r:.60}")
    return dtype


def data_of(array: Array) -> memoryview:
    """Return the bytes of an array in C order, without a copy where it lies so already."""
    flat = np.ascontiguousarray(array).reshape(-1)
    if _PADS and flat.dtype.kind in "fc" and flat.dtype.itemsize in (16, 32) and flat.dtype.char in "gG":
        flat = _without_padding(flat)
    return flat.view(np.uint8).data if flat.nbytes else memoryview(b"")


def _without_padding(flat: Array) -> Array:
    words = flat.copy().view(np.uint8).reshape(-1, 16)
    words[:, 10:] = 0
    return words.reshape(-1)


def build(dtype: str, shape: list[int]) -> Array:
    """Return a new array of zeros to be filled through `data_of`."""
    return np.zeros(shape, parse_dtype(dtype))


def scalar_node(value: np.generic, path: str) -> dict[str, str]:
    """Spell a NumPy scalar: its dtype and its bytes in hexadecimal."""
    return {"dtype": dtype_text(value.dtype, path), "hex": data_of(np.asarray(value)).hex()}


def parse_scalar(node: dict[str, str]) -> np.generic:
    """Return the scalar that `scalar_node` spelled, bit for bit."""
    dtype, data = parse_dtype(node["dtype"]), bytes.fromhex(node["hex"])
    if len(data) != dtype.itemsize:
        raise damaged(f"a scalar of dtype {dtype} has {len(data)} bytes")
    scalar: np.generic = np.frombuffer(data, dtype)[0]
    return scalar


def byte_range(array: Array) -> tuple[int, int]:
    """Return the addresses [low, high) that the elements of an array touch; negative strides count too."""
    return np.lib.array_utils.byte_bounds(array)


def permutation(array: Array) -> list[int] | None:
    """Return the element strides of an array that is dense but not in C order (Fortran, a transpose), else None."""
    if array.flags.c_contiguous or array.size < 2:
        return None
    strides = [stride // array.itemsize for stride in array.strides]
    return strides if is_dense(list(array.shape), strides) else None


def is_dense(shape: list[int], strides: list[int]) -> bool:
    """Whether these strides (in elements) fill one block of memory without holes, in some order of the axes."""
    expected = 1
    for stride, length in sorted((s, n) for s, n in zip(strides, shape, strict=True) if n != 1):
        if stride != expected:
            return False
        expected *= length
    return True


def restride(array: Array, strides: list[int]) -> Array:
    """Return the same values in a new array with the given element strides."""
    if len(strides) != array.ndim or not is_dense(list(array.shape), strides):
        raise damaged(f"the strides {strides!r:.60} do not fit the shape {array.shape}")
    steps = [stride * array.itemsize for stride in strides]
    placed = view(np.zeros(array.nbytes, np.uint8), array.dtype.str, list(array.shape), 0, steps)
    placed[...] = array
    return placed


def view(slab: Array, dtype: str, shape: list[int], offset: int, strides: list[int]) -> Array:
    """Return an array over the bytes of `slab`; offset and strides in bytes. Out of bounds is a DamageError."""
    try:
        return np.ndarray(shape, parse_dtype(dtype), slab.data, offset, strides)
    except (ValueError, TypeError) as problem:
        raise damaged(f"a view does not fit its memory: {problem}") from None
