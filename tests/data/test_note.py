"""What is said of a batch."""

from __future__ import annotations

import numpy as np
import torch

from samerun.data.note import BatchNote
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
