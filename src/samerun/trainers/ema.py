"""An exponential moving average of a model's weights, tracked beside the model and used for evaluation.

The count of updates is part of the state: the decay is warmed up by it.
"""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import nn


def decay_of_update(updates: int, decay: float) -> float:
    """Return the decay of the next update after `updates` earlier ones: min(decay, (1 + n) / (10 + n)).

    Without the warm-up the average would hold on to the initial weights for 1 / (1 - decay) steps.
    Source: the `num_updates` rule of TensorFlow's ExponentialMovingAverage.
    """
    return min(decay, (1.0 + updates) / (10.0 + updates))


class MovingAverage:
    """The averaged copy of a model. `model` is in eval mode and takes no gradients."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.model = copy.deepcopy(model).eval().requires_grad_(False)
        self.updates = 0
        self._decay = decay

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        """Move every averaged weight towards the model's; buffers are copied as they are."""
        weight = 1.0 - decay_of_update(self.updates, self._decay)
        for average, current in zip(self.model.parameters(), model.parameters(), strict=True):
            average.lerp_(current, weight)
        for kept, buffer in zip(self.model.buffers(), model.buffers(), strict=True):
            kept.copy_(buffer)
        self.updates += 1

    def state_dict(self) -> dict[str, Any]:
        """Return the averaged weights and the number of updates."""
        return {"model": self.model.state_dict(), "updates": self.updates}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Put back what state_dict gave."""
        self.model.load_state_dict(state["model"])
        self.updates = int(state["updates"])
