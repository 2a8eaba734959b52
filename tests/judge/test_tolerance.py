from __future__ import annotations

import math

import pytest

from samerun.judge.tolerance import distance, name_of


@pytest.mark.parametrize("value", [0, 1.5, -3, "NaN", "Infinity", None, "text", True])
def test_a_value_is_at_no_distance_from_itself(value: object) -> None:
    assert distance(value, value) == 0.0


@pytest.mark.parametrize(
    ("a", "b"),
    [("NaN", 1.0), ("Infinity", "-Infinity"), ("Infinity", 3.0), (None, 0), ("text", "other"), (True, 2)],
)
def test_what_cannot_be_subtracted_is_infinitely_far(a: object, b: object) -> None:
    assert distance(a, b) == math.inf


def test_distance_is_relative_to_the_larger_magnitude() -> None:
    assert distance(1.0, 2.0) == distance(2.0, 1.0) == 0.5
    assert distance(1e30, 1.1e30) == pytest.approx(1 / 11)


def test_an_integer_equals_the_float_of_the_same_value() -> None:
    assert distance(1, 1.0) == 0.0


def test_only_no_distance_at_all_is_bits() -> None:
    one_ulp = distance(1.0, math.nextafter(1.0, 2.0))
    assert name_of(0.0) == "bits"
    assert name_of(one_ulp) == "float32"
    assert name_of(2**-9) == "bfloat16"
    assert name_of(0.5) == name_of(math.inf) == "apart"
