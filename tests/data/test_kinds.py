"""What a data set is."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from loader_samples import Counting, Quiet, Unknown
from torch.utils.data import IterableDataset, TensorDataset

from samerun.data.kinds import kind_of
from samerun.errors import UsageError


class Forgetful(IterableDataset[int]):
    def __len__(self) -> int:
        return 3

    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter(range(3))


@pytest.mark.parametrize("value", [np.zeros(3), (torch.zeros(3), np.zeros(3)), TensorDataset(torch.zeros(3))])
def test_arrays_in_memory(value: object) -> None:
    assert kind_of(value) == "arrays"


@pytest.mark.parametrize("value", [Unknown(3), Quiet(3), [1, 2], range(3), "text"])
def test_things_with_items(value: object) -> None:
    assert kind_of(value) == "items"


def test_a_stream_with_a_state() -> None:
    assert kind_of(Counting(3)) == "stream"


@pytest.mark.parametrize("value", [Forgetful(), iter([1]), {"a": 1}])
def test_an_iterable_without_a_state_is_refused_with_the_reason(value: object) -> None:
    with pytest.raises(UsageError, match="a resume could not find its place"):
        kind_of(value)


@pytest.mark.parametrize("value", [3, None, object()])
def test_anything_else_is_refused(value: object) -> None:
    with pytest.raises(UsageError, match="SR-DATA-001"):
        kind_of(value)
