"""Packing: nothing is lost, doubled or reordered."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from samerun.data.packed import Carry, Pack
from samerun.errors import UsageError


@given(st.lists(st.integers(0, 9), min_size=1, max_size=20), st.integers(1, 5))
def test_all_tokens_come_out_once_in_order(lengths: list[int], length: int) -> None:
    carry = Carry(Pack(length))
    tokens, next_token = [], 0
    for item, size in enumerate(lengths):
        carry.add(item, item, np.arange(next_token, next_token + size), 0)
        next_token += size
        rows = carry.held // length
        if rows:
            batch, _ = carry.rows(rows)
            assert batch.shape == (rows, length)
            tokens += batch.ravel().tolist()
    assert tokens == list(range(len(tokens))) and next_token - len(tokens) == carry.held < length


def test_an_item_that_was_handed_over_in_part_goes_on_where_it_was() -> None:
    carry = Carry(Pack(2))
    carry.add("place", 0, np.arange(6), 4)
    batch, ids = carry.rows(1)
    assert batch.tolist() == [[4, 5]] and ids == [0] and not carry.pieces


def test_an_end_token_stands_behind_each_item_and_pad_fills_the_last_row() -> None:
    carry = Carry(Pack(3, end=-1, pad=-2))
    carry.add(0, 0, torch.tensor([1, 2]), 0)
    carry.add(1, 1, torch.tensor([3]), 0)
    batch, ids = carry.rows(2)
    assert batch.tolist() == [[1, 2, -1], [3, -1, -2]] and batch.dtype == torch.int64 and ids == [0, 1]


def test_sequences_of_one_item_are_cut_alike() -> None:
    carry = Carry(Pack(2))
    carry.add(0, 0, {"tokens": [1, 2, 3], "mask": np.array([True, False, True])}, 0)
    batch, _ = carry.rows(1)
    assert batch["tokens"].tolist() == [[1, 2]] and batch["mask"].tolist() == [[True, False]]
    assert carry.pieces[0].used == 2


def test_rows_of_arrays_are_aligned_like_torchs_memory() -> None:
    carry = Carry(Pack(3))
    carry.add(0, 0, np.arange(7), 0)
    assert carry.rows(2)[0].ctypes.data % 64 == 0


@pytest.mark.parametrize("item", [3, "text", np.zeros((2, 2)), None, ([1, 2], [1])])
def test_what_is_no_sequence_is_refused(item: Any) -> None:
    with pytest.raises(UsageError, match="SR-DATA-013"):
        Carry(Pack(2)).add(0, 0, item, 0)


@pytest.mark.parametrize("length", [0, -1, True, 1.5])
def test_a_row_has_a_length(length: Any) -> None:
    with pytest.raises(UsageError, match="SR-DATA-011"):
        Pack(length)
