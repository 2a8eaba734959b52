"""Losses as sums over targets."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

from samerun.trainers.supervised.objective import loss_sum, num_correct

LOGITS = torch.tensor([[2.0, 0.0, -1.0], [0.5, 0.5, 3.0], [0.0, 1.0, 0.0], [1.0, 1.0, 1.0]])
LABELS = torch.tensor([0, 2, 2, 1])


@pytest.mark.parametrize("label_smoothing", [0.0, 0.1])
def test_the_sum_over_targets_is_their_number_times_torchs_mean(label_smoothing: float) -> None:
    mean = F.cross_entropy(LOGITS, LABELS, label_smoothing=label_smoothing)
    torch.testing.assert_close(loss_sum("classes", LOGITS, LABELS, label_smoothing), mean * 4)


def test_tokens_are_classes_at_each_position() -> None:
    whole = loss_sum("tokens", LOGITS.view(2, 2, 3), LABELS.view(2, 2).int())
    assert torch.equal(whole, loss_sum("classes", LOGITS, LABELS))


def test_values_are_compared_one_by_one() -> None:
    outputs, targets = torch.tensor([[1.0], [3.0]]), torch.tensor([2.0, 1.0])
    assert float(loss_sum("value", outputs, targets)) == 5.0


def test_halves_of_a_batch_add_up_to_the_whole() -> None:
    halves = loss_sum("classes", LOGITS[:3], LABELS[:3]) + loss_sum("classes", LOGITS[3:], LABELS[3:])
    torch.testing.assert_close(halves, loss_sum("classes", LOGITS, LABELS))


def test_half_precision_outputs_are_summed_in_single_precision() -> None:
    assert loss_sum("classes", LOGITS.bfloat16(), LABELS).dtype == torch.float32


def test_correct_targets_are_counted() -> None:
    assert int(num_correct(LOGITS, LABELS)) == 2
    assert int(num_correct(LOGITS.view(2, 2, 3), LABELS.view(2, 2))) == 2
