"""Digests of arrays in memory."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from samerun.data.arrays import digest_arrays
from samerun.errors import UsageError


def test_tensors_and_arrays_with_the_same_content_have_one_digest() -> None:
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    wanted = digest_arrays((values, np.arange(3)))
    assert digest_arrays((torch.from_numpy(values), torch.arange(3))) == wanted
    assert digest_arrays(torch.utils.data.TensorDataset(torch.from_numpy(values), torch.arange(3))) == wanted
    assert digest_arrays((np.asfortranarray(values), np.arange(3).astype(">i8"))) == wanted


BASE = np.arange(12, dtype=np.float32).reshape(3, 4)


@pytest.mark.parametrize(
    "other",
    [BASE.T, BASE.reshape(4, 3), BASE.astype(np.float64), BASE[::-1], -BASE, (BASE,), {"x": BASE}, BASE[:2]],
    ids=["transposed", "shape", "dtype", "order", "sign", "tuple", "dict", "shorter"],
)
def test_content_dtype_shape_and_place_are_in_the_digest(other: object) -> None:
    assert digest_arrays(other) != digest_arrays(BASE)


def test_signs_of_zero_and_half_floats_are_seen() -> None:
    assert digest_arrays(np.array([0.0])) != digest_arrays(np.array([-0.0]))
    assert digest_arrays(torch.ones(3).bfloat16()) != digest_arrays(torch.ones(3).half())
    assert digest_arrays(torch.zeros(0, 3)) != digest_arrays(torch.zeros(3, 0))


def test_objects_have_no_content() -> None:
    with pytest.raises(UsageError, match="SR-DATA-016"):
        digest_arrays(np.array([{}], object))


def test_the_digest_is_pinned() -> None:
    assert digest_arrays(np.arange(3)) == "sha256:51b6285e8fb2fd3f8ee8ff5240965a5b90240d712084be66effb77e7981c09be"
