"""What is said of a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from samerun.data.note import BatchNote, digest_columns
from samerun.state.digest import digest_tree


class Own:
    """Something that a state cannot hold."""


def note(batch: object, *ids: int) -> BatchNote:
    return BatchNote(0, np.array(ids), batch, {})


def test_the_digest_is_over_the_bits_of_the_batch() -> None:
    batch = (torch.ones(2), np.zeros(2))
    assert note(batch, 1, 2).digest == digest_tree(batch)
    assert note((torch.ones(2), -np.zeros(2)), 1, 2).digest != digest_tree(batch)


def test_a_batch_of_own_classes_is_known_by_its_ids() -> None:
    assert note(Own(), 1, 2).digest == note(Own(), 1, 2).digest != note(Own(), 2, 1).digest


def test_a_digest_that_a_worker_made_is_taken() -> None:
    assert BatchNote(0, np.arange(1), torch.ones(1), {}, known_digest="xxh3:1").digest == "xxh3:1"


@pytest.mark.parametrize(
    "batch",
    [
        torch.arange(6.0).view(2, 3),
        (torch.arange(6.0).view(2, 3), np.arange(2)),
        (torch.arange(3).bfloat16(), np.array(["a", "bc"]), np.asfortranarray(np.ones((2, 3)))),
        {"x": torch.ones(2), "y": (np.ones(2), torch.zeros(1))},
        ((torch.ones(2),), torch.zeros(0, 3)),
        (torch.ones(2, dtype=torch.complex64), np.array([True])),
    ],
)
def test_columns_have_the_digest_of_a_tree_on_first_and_later_sight(batch: Any) -> None:
    assert [digest_columns(batch) for _ in range(2)] == [digest_tree(batch)] * 2


def test_columns_of_other_kinds_dtypes_and_shapes_differ() -> None:
    ones = np.ones(4, np.float32)
    found = [
        digest_columns(batch)
        for batch in (ones, torch.ones(4), (ones,), (ones, ones[:0]), ones.view(np.int32), ones.reshape(2, 2))
    ]
    assert len(set(found)) == len(found)
