"""What is minimised, and what is measured: losses summed over targets, so that parts of a batch add up to the whole.

One file for the three goals of a task (models/shape.py). Looping over batches is in trainer.py and evaluate.py.
"""

from __future__ import annotations

import torch
from torch.nn import functional as F

from samerun.trainers.models.shape import Goal

# B batch, T tokens, C classes, V vocabulary


def loss_sum(goal: Goal, outputs: torch.Tensor, targets: torch.Tensor, label_smoothing: float = 0.0) -> torch.Tensor:
    """Return the loss summed over every target, a float32 scalar.

    `classes`: cross-entropy in nats of logits (B, C) for (B,). `tokens`: the same of (B, T, V) for (B, T).
    `value`: squared error of (B, 1) for (B,). Label smoothing as in Szegedy et al. 2016, section 7.
    """
    if goal == "value":
        return F.mse_loss(outputs.float().squeeze(-1), targets, reduction="sum")
    logits = outputs.float().flatten(0, -2)
    return F.cross_entropy(logits, targets.long().flatten(), reduction="sum", label_smoothing=label_smoothing)


def num_correct(outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Count the targets to which the largest output belongs; of equal outputs the first counts."""
    return (outputs.argmax(-1) == targets).sum()
