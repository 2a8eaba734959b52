"""The digest of a torch module at every step, through cached addresses of its tensors.

Before each use the module tree is compared with what it was: a replaced parameter, storage, buffer or submodule, a new
name, class or hook is seen, and the cache is made anew.
"""

from __future__ import annotations

from itertools import chain
from operator import is_
from typing import TYPE_CHECKING, Any

from samerun.state.digest import header, structure_bytes
from samerun.state.tensorcache import TensorCache
from samerun.state.tree import encode
from samerun.state.treeview import TreeView

if TYPE_CHECKING:
    import torch


class ModuleView:
    """One module."""

    def __init__(self, module: torch.nn.Module) -> None:
        self._module = module
        self._by_state_dict = TreeView(module)
        self._seen: _ModuleTree | None = None
        self._cache: TensorCache | None = None
        self._header = b""

    @property
    def nbytes(self) -> int:
        """Bytes of tensors that the last `digest` hashed."""
        return self._by_state_dict.nbytes if self._cache is None else self._cache.nbytes

    def digest(self) -> str:
        """Return `xxh3:...` of the module's state_dict now."""
        if self._cache is None or self._seen is None or not self._seen.holds() or not self._cache.holds():
            self._cache = self._look()
            if self._cache is None:
                return self._by_state_dict.digest()
        return self._cache.digest(self._header)

    def _look(self) -> TensorCache | None:
        """Look at the module anew; None where it must go through its state_dict each time."""
        modules = list(self._module.modules())
        if not all(map(_has_plain_state, modules)):
            return None
        self._seen = _ModuleTree(modules)
        structure, found = encode(self._module.state_dict())
        self._header = header(structure_bytes(structure))
        return TensorCache(self._seen.tensors(), found)


class _ModuleTree:
    """What the modules of a tree held at one moment. Compared by identity, in C, without a Python loop."""

    def __init__(self, modules: list[torch.nn.Module]) -> None:
        self._modules = modules
        self._types = tuple(map(type, modules))
        self._dicts: list[dict[str, Any]] = [t for m in modules for t in (m._parameters, m._buffers, m._modules)]
        self._names = tuple(map(tuple, self._dicts))
        self._things = tuple(chain.from_iterable(map(dict.values, self._dicts)))
        self._unsaved = [m._non_persistent_buffers_set for m in modules]
        self._unsaved_counts = tuple(map(len, self._unsaved))
        self._hooks = [hooks for m in modules for hooks in (m._state_dict_hooks, m._state_dict_pre_hooks)]

    def holds(self) -> bool:
        """Whether all modules still hold the same things under the same names."""
        return (
            tuple(map(tuple, self._dicts)) == self._names
            and all(map(is_, chain.from_iterable(map(dict.values, self._dicts)), self._things))
            and all(map(is_, map(type, self._modules), self._types))
            and tuple(map(len, self._unsaved)) == self._unsaved_counts
            and not any(self._hooks)
        )

    def tensors(self) -> list[torch.Tensor]:
        """Return each parameter and buffer once."""
        import torch

        return list({id(thing): thing for thing in self._things if isinstance(thing, torch.Tensor)}.values())


def _has_plain_state(module: torch.nn.Module) -> bool:
    """Whether the module's part of a state_dict is its parameters and buffers, and nothing more."""
    import torch

    kind, plain = type(module), torch.nn.Module
    return (
        kind.state_dict is plain.state_dict
        and kind._save_to_state_dict is plain._save_to_state_dict
        and kind.get_extra_state is plain.get_extra_state
        and not module._state_dict_hooks
        and not module._state_dict_pre_hooks
        and vars(module).keys().isdisjoint({"state_dict", "_save_to_state_dict", "get_extra_state"})
    )
