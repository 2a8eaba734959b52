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
        self._gradients: dict[tuple[int, int], str] = {}
        self._storages: set[int] = set()
        for component, thing in objects.items():
            for leaf in encode(state_of(thing, ADAPTERS))[1]:
                if isinstance(leaf.value, torch.Tensor):
                    self._names.setdefault(_address(leaf.value), f"{component}.{leaf.path.replace('/', '.')}")
                    self._storages.add(storage_of(leaf.value))

    def name_of(self, tensor: torch.Tensor) -> str | None:
        """Return the name of a tracked tensor, None for any other."""
        try:
            address = _address(tensor)
            return self._names.get(address) or self._gradients.get(address)
        except RuntimeError:
            return None  # a tensor without memory of its own (sparse, meta)

    def owns(self, storage: int) -> bool:
        """Say whether a storage (see `storage_of`) is a tracked tensor's."""
        return storage in self._storages

    def note_gradients(self, optimizer: torch.optim.Optimizer) -> None:
        """Name the gradients that an optimizer is about to use after their parameters."""
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                name = self.name_of(parameter)
                if name is not None and parameter.grad is not None:
                    self._gradients[_address(parameter.grad)] = f"{name}.grad"

    def forget_gradients(self) -> None:
        """Forget those names: a gradient that is dropped leaves its address to others."""
        self._gradients.clear()


def storage_of(tensor: torch.Tensor) -> int:
    """Return the address of the storage object behind a tensor, 0 for one without (sparse); data may lie elsewhere."""
    return int(tensor.untyped_storage()._cdata) if tensor.layout is torch.strided else 0


def _address(tensor: torch.Tensor) -> tuple[int, int]:
    return tensor.data_ptr(), tensor.numel()
