"""Row bytes are the canonical bytes: what the fast encoder writes, the slow one would have written."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samerun.base.canon import canonical_bytes
from samerun.record.rowtext import row_bytes

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
LEAF = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | TEXT
TREE = st.recursive(LEAF, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.dictionaries(TEXT, TREE, max_size=5))
def test_a_row_has_its_canonical_bytes(row: dict[str, object]) -> None:
    assert row_bytes(row) == canonical_bytes(row)


@settings(max_examples=500, deadline=None, derandomize=True)
@given(st.floats())
def test_a_number_has_its_canonical_spelling(value: float) -> None:
    assert row_bytes({"x": value, "y": -value}) == canonical_bytes({"x": value, "y": -value})


@pytest.mark.parametrize("exponent", range(-12, 26))
def test_numbers_near_a_change_of_notation_have_their_canonical_spelling(exponent: int) -> None:
    for digits in (1.0, 1.5, 1.2345678901234567, 9.999999999999999):
        value = digits * 10.0**exponent
        for candidate in (value, -value, math.nextafter(value, math.inf), math.nextafter(value, -math.inf)):
            assert row_bytes({"x": candidate}) == canonical_bytes({"x": candidate})


def test_numpy_numbers_are_taken_as_numbers() -> None:
    row = {"a": np.float32(0.1), "b": np.int64(3), "c": np.float64(1e-7), "d": np.bool_(True)}
    assert row_bytes(row) == canonical_bytes(row)


@pytest.mark.parametrize("value", [b"bytes", {1, 2}, {3: 4}, object()])
def test_what_json_cannot_hold_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        row_bytes({"x": value})
