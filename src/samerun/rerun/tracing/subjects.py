"""Which tracked tensor a tensor is, by its address: `model.0.weight`, its `.grad`, `optimizer.state.3.exp_avg`.

A name for people: the comparison stands on digests, never on these.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch

from samerun.run.adapters import ADAPTERS
from samerun.state.restore import state_of
from samerun.state.tree import encode


class Subjects:
    """Names of the tensors that the tracked objects hold at one moment."""

    def __init__(self, objects: Mapping[str, object]) -> None:
        self._names: dict[tuple[int, int], str] = {}
        for component, thing in objects.items():
            for leaf in encode(state_of(thing, ADAPTERS))[1]:
                if isinstance(leaf.value, torch.Tensor):
                    self._names.setdefault(_address(leaf.value), f"{component}.{leaf.path.replace('/', '.')}")

    def name_of(self, tensor: torch.Tensor) -> str | None:
        """Return the name of a tracked tensor, None for any other."""
        try:
            return self._names.get(_address(tensor))
        except RuntimeError:
            return None  # a tensor without memory of its own (sparse, meta)

    def note_gradients(self, optimizer: torch.optim.Optimizer) -> None:
        """Name the gradients that an optimizer is about to use after their parameters."""
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                name = self.name_of(parameter)
                if name is not None and parameter.grad is not None:
                    self._names[_address(parameter.grad)] = f"{name}.grad"


def _address(tensor: torch.Tensor) -> tuple[int, int]:
    return tensor.data_ptr(), tensor.numel()
