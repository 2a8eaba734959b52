"""The gradients of a module as tracked state, for loops whose accumulation window spans several steps.

`run.track(gradients=model)` makes one; windows inside one step need none, since a step is done whole or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol


class HasParameters(Protocol):
    """A torch module, as far as its gradients are concerned."""

    def named_parameters(self) -> Iterator[tuple[str, Any]]: ...


class Gradients:
    """Reads and writes `.grad` of every parameter; `None` (no gradient yet) is kept apart from zeros."""

    def __init__(self, module: HasParameters) -> None:
        self._module = module

    @property
    def module(self) -> HasParameters:
        """The module whose gradients these are."""
        return self._module

    def state_dict(self) -> dict[str, Any]:
        return {name: parameter.grad for name, parameter in self._module.named_parameters()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        for name, parameter in self._module.named_parameters():
            stored = state[name]
            parameter.grad = None if stored is None else stored.to(parameter.device).clone()
