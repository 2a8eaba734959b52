"""Arrays and tensors in memory as batches."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from samerun.data.inmemory import InMemory, is_arrays
from samerun.errors import UsageError

ORDER = np.array([3, 0, 2, 1, 4])


class Pair(NamedTuple):
    x: Any
    y: Any


X, Y = torch.arange(10.0).view(5, 2), np.arange(5)


@pytest.mark.parametrize(
    "value",
    [X, Y, (X, Y), {"x": X, "y": (Y, X)}, torch.utils.data.TensorDataset(X, X), Pair(X, Y)],
    ids=["tensor", "array", "tuple", "dict", "TensorDataset", "namedtuple"],
)
def test_trees_of_arrays_are_known(value: object) -> None:
    assert is_arrays(value)


@pytest.mark.parametrize("value", [[X, Y], [1, 2], (), {}, (X, 3), torch.tensor(1.0), "text", range(3)])
def test_other_things_are_not(value: object) -> None:
    assert not is_arrays(value)


def test_a_batch_has_the_form_and_the_kinds_of_the_data_set() -> None:
    read = InMemory({"x": X, "pair": Pair(Y, X)}).reader(ORDER)
    batch = read(1, 3)
    assert torch.equal(batch["x"], X[[0, 2]]) and isinstance(batch["pair"], Pair)
    assert isinstance(batch["pair"].x, np.ndarray) and batch["pair"].x.tolist() == [0, 2]


def test_a_pair_and_a_single_array_need_no_tree() -> None:
    x, y = InMemory((X, Y)).reader(ORDER)(0, 2)
    assert torch.equal(x, X[[3, 0]]) and y.tolist() == [3, 0]
    assert InMemory(Y).reader(ORDER)(3, 5).tolist() == [1, 4]


def test_a_batch_is_a_copy() -> None:
    data = X.clone()
    InMemory(data).reader(ORDER)(0, 5).zero_()
    assert torch.equal(data, X)


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.complex128, "U3", bool])
def test_batches_of_arrays_are_aligned_like_torchs_memory(dtype: Any) -> None:
    data = np.arange(35).reshape(5, 7).astype(dtype)
    batch = InMemory(data).reader(ORDER)(1, 4)
    assert batch.ctypes.data % 64 == 0 and batch.dtype == data.dtype and np.array_equal(batch, data[[0, 2, 1]])


def test_arrays_of_objects_and_empty_rows_work() -> None:
    objects = np.array([{}, [], None, "x", 1], object)
    assert InMemory(objects).reader(ORDER)(0, 2).tolist() == ["x", {}]
    assert InMemory(np.zeros((5, 0))).reader(ORDER)(0, 2).shape == (2, 0)


def test_a_tensor_that_requires_grad_gives_batches_without_history() -> None:
    batch = InMemory(torch.ones(5, requires_grad=True)).reader(ORDER)(0, 2)
    assert not batch.requires_grad


def test_items_are_rows() -> None:
    data = InMemory((X, Y))
    assert len(data) == 5 and torch.equal(data[2][0], X[2]) and data[2][1] == 2


def test_arrays_of_different_lengths_are_refused_with_all_lengths() -> None:
    with pytest.raises(UsageError, match="SR-DATA-002") as caught:
        InMemory((X, {"y": Y[:3]}))
    assert list(caught.value.evidence) == ["[0]: 5 items", "[1]['y']: 3 items"]
