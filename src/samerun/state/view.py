"""Digests of live components at every step, at loop speed: equal bit for bit to digest_tree(state_of(component)).

Modules and optimizers are hashed through cached addresses that are checked before each use, everything else through
its state_dict.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Protocol

from samerun.state.moduleview import ModuleView
from samerun.state.optimizerview import OptimizerView
from samerun.state.restore import Adapter
from samerun.state.treeview import TreeView


class ComponentView(Protocol):
    """The digest of one component, to be asked for again and again."""

    @property
    def nbytes(self) -> int:
        """Bytes of tensors that the last `digest` hashed."""

    def digest(self) -> str:
        """Return `xxh3:...` of the component now."""


class StateView:
    """Digests of several components, to be asked for after each step."""

    kind = "xxh3"
    """How the digests are made, as the trail's rows name it."""

    def __init__(self, components: Mapping[str, object], adapters: Sequence[Adapter] = ()) -> None:
        self._views = {name: view_of(thing, adapters) for name, thing in components.items()}

    def digests(self) -> dict[str, str]:
        """Return the digest of each component now. Errors as `pack`, for a state that cannot be held."""
        return {name: view.digest() for name, view in self._views.items()}

    @property
    def nbytes(self) -> int:
        """Bytes of tensors that the last `digests` hashed."""
        return sum(view.nbytes for view in self._views.values())


def view_of(thing: object, adapters: Sequence[Adapter] = ()) -> ComponentView:
    """Return the fastest view that is right for a component."""
    torch = sys.modules.get("torch")
    if torch is not None and not any(adapter.knows(thing) for adapter in adapters):
        if isinstance(thing, torch.nn.Module):
            return ModuleView(thing)
        if isinstance(thing, torch.optim.Optimizer):
            return OptimizerView(thing)
    return TreeView(thing, adapters)
