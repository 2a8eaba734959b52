"""Digests of live components at every step, at loop speed: equal bit for bit to digest_tree(state_of(component)).

Modules and optimizers are hashed through cached addresses of their tensors. Before each use the cache is checked
against the live objects: a replaced parameter, storage, buffer, submodule, slot or setting is seen, and the cache is
made anew. Everything else goes through its state_dict each time.
"""

from __future__ import annotations

import marshal
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from operator import is_, itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import xxhash

from samerun.state.digest import data_of, header, structure_bytes
from samerun.state.restore import Adapter, state_of
from samerun.state.tree import encode

if TYPE_CHECKING:
    import torch

    from samerun.state.sharing import Leaf

# marshal spells exact built-in types exactly, and any other object that has a buffer as bytes: a fingerprint is only
# trusted where the structure holds no bytes that such an object could be mistaken for.
_BUFFERS = (b'"bytes":', b'"scalar":', b'"array":', b'"raw":')
_PARAMS = itemgetter("params")
_MARSHAL_VERSION = 2  # without back references, which depend on reference counts


class StateView:
    """Digests of several components, to be asked for after each step."""

    kind = "xxh3"
    """How the digests are made, as the trail's rows name it."""

    def __init__(self, components: Mapping[str, object], adapters: Sequence[Adapter] = ()) -> None:
        self._views = {name: _view(thing, adapters) for name, thing in components.items()}

    def digests(self) -> dict[str, str]:
        """Return the digest of each component now. Errors as `pack`, for a state that cannot be held."""
        return {name: view.digest() for name, view in self._views.items()}

    @property
    def nbytes(self) -> int:
        """Bytes of tensors that the last `digests` hashed."""
        return sum(view.nbytes for view in self._views.values())


def _view(thing: object, adapters: Sequence[Adapter]) -> TreeView:
    torch = sys.modules.get("torch")
    if torch is None or any(adapter.knows(thing) for adapter in adapters):
        return TreeView(thing, adapters)
    if isinstance(thing, torch.nn.Module):
        return ModuleView(thing)
    if isinstance(thing, torch.optim.Optimizer):
        return OptimizerView(thing)
    return TreeView(thing, adapters)


class TreeView:
    """Any component, through its state_dict; unchanged plain numbers are not spelled again."""

    def __init__(self, thing: object, adapters: Sequence[Adapter] = ()) -> None:
        self.thing = thing
        self.adapters = adapters
        self.nbytes = 0
        self._seen: bytes | None = None
        self._digest = ""

    def digest(self) -> str:
        """Return `xxh3:...` of the state now."""
        tree = state_of(self.thing, self.adapters)
        seen = None if self.nbytes else fingerprint(tree)
        if seen is not None and seen == self._seen:
            return self._digest
        structure, found = encode(tree)
        spelled = structure_bytes(structure)
        running = xxhash.xxh3_128(header(spelled))
        for leaf in found:
            running.update(data_of(leaf.value))
        self.nbytes = sum(leaf.value.nbytes for leaf in found)
        self._seen = seen if is_plain(spelled) else None
        self._digest = f"xxh3:{running.hexdigest()}"
        return self._digest


def fingerprint(tree: Any) -> bytes | None:
    """Return bytes that differ where two trees of plain values differ; None where the tree holds anything else."""
    try:
        return marshal.dumps(tree, _MARSHAL_VERSION)
    except ValueError:
        return None


def is_plain(spelled: bytes) -> bool:
    """Whether a structure holds nothing that `fingerprint` could mistake for something else."""
    return not any(tag in spelled for tag in _BUFFERS)


class TensorCache:
    """The tensors of a component with their addresses, and whether those still hold."""

    def __init__(self, live: Sequence[torch.Tensor], found: Sequence[Leaf]) -> None:
        import torch

        self.live = tuple(live)
        self._twins = tuple(tensor.detach() for tensor in live)
        self._addresses = tuple(map(torch.Tensor.data_ptr, self._twins))
        self._address_of = torch.Tensor.data_ptr
        self._has_same_shapes = _shape_check(self.live, self._twins)
        self.blocks = [_block(leaf.value) for leaf in found]
        self._is_direct = all(isinstance(block, memoryview) for block in self.blocks)
        self.nbytes = sum(leaf.value.nbytes for leaf in found)

    def holds(self) -> bool:
        """Whether every live tensor still has the same memory, shape, strides and dtype."""
        return tuple(map(self._address_of, self.live)) == self._addresses and self._has_same_shapes()

    def digest(self, spelled: bytes) -> str:
        """Return the digest over a header and the bytes of all blocks as they are now."""
        running = xxhash.xxh3_128(spelled)
        if self._is_direct:
            for _ in map(running.update, self.blocks):
                pass
        else:
            for block in self.blocks:
                running.update(block if isinstance(block, memoryview) else data_of(block))
        return f"xxh3:{running.hexdigest()}"


def _shape_check(live: tuple[torch.Tensor, ...], twins: tuple[torch.Tensor, ...]) -> Callable[[], bool]:
    """Return a function that says whether dtype, shape and strides of all `live` are still those of now."""
    import torch

    def slow() -> bool:
        try:
            return all(map(torch.Tensor.is_set_to, live, twins))
        except RuntimeError:  # another dtype
            return False

    try:
        # What torch.compile guards its graphs with: all tensors in one call. Not a public name, so never relied on.
        from torch._C._dynamo.guards import TensorGuards

        sizes: Any = [list(t.shape) for t in live]
        strides: Any = [list(t.stride()) for t in live]
        guards = TensorGuards(*live, dynamic_dims_sizes=sizes, dynamic_dims_strides=strides)
        return partial(guards.check, *live) if live and guards.check(*live) else slow
    except (ImportError, TypeError, ValueError, RuntimeError):
        return slow


def _block(value: Any) -> Any:
    """Return the bytes of a tensor where they lie, or the tensor itself where they must be gathered each time."""
    if isinstance(value, np.ndarray):
        return value
    from samerun.state import tensors

    return tensors.memory_of(value.detach()) if tensors.is_direct(value) else value


class ModuleView(TreeView):
    """A torch module, through cached addresses."""

    def __init__(self, module: torch.nn.Module) -> None:
        super().__init__(module)
        self.module = module
        self._cache: TensorCache | None = None

    def digest(self) -> str:
        """Return `xxh3:...` of the module's state_dict now."""
        if self._cache is None or not self._is_current():
            modules = list(self.module.modules())
            if not all(map(_has_plain_state, modules)):
                self._cache = None
                return super().digest()
            self._rebuild(modules)
        assert self._cache is not None
        return self._cache.digest(self._header)

    def _is_current(self) -> bool:
        assert self._cache is not None
        return (
            all(map(is_, map(type, self._modules), self._types))
            and tuple(map(tuple, self._dicts)) == self._names
            and tuple(map(len, self._unsaved)) == self._unsaved_counts
            and all(map(is_, chain.from_iterable(map(dict.values, self._dicts)), self._things))
            and not any(self._hooks)
            and self._cache.holds()
        )

    def _rebuild(self, modules: Sequence[torch.nn.Module]) -> None:
        import torch

        self._modules = modules
        self._types = tuple(map(type, modules))
        self._dicts: list[dict[str, Any]] = [t for m in modules for t in (m._parameters, m._buffers, m._modules)]
        self._names = tuple(map(tuple, self._dicts))
        self._unsaved = [m._non_persistent_buffers_set for m in modules]
        self._unsaved_counts = tuple(map(len, self._unsaved))
        self._things = tuple(chain.from_iterable(map(dict.values, self._dicts)))
        self._hooks = [hooks for m in modules for hooks in (m._state_dict_hooks, m._state_dict_pre_hooks)]
        structure, found = encode(self.module.state_dict())
        self._header = header(structure_bytes(structure))
        live = {id(thing): thing for thing in self._things if isinstance(thing, torch.Tensor)}
        self._cache = TensorCache(list(live.values()), found)
        self.nbytes = self._cache.nbytes


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


class OptimizerView(TreeView):
    """A torch optimizer: its slots through cached addresses, its settings spelled again when one changed."""

    def __init__(self, optimizer: torch.optim.Optimizer) -> None:
        super().__init__(optimizer)
        self.optimizer = optimizer
        self._cache: TensorCache | None = None
        self._settings: list[bytes | None] = []
        self._spelled_state = b""

    def digest(self) -> str:
        """Return `xxh3:...` of the optimizer's state_dict now."""
        if (self._cache is None or not self._is_current()) and not self._rebuild():
            return super().digest()
        assert self._cache is not None
        settings = self._settings_now()
        if settings != self._settings:
            spelled = self._spell_groups()
            if not is_plain(spelled) or None in settings:
                self._cache = None
                return super().digest()
            self._settings, self._header = settings, header(self._spelled_state + spelled)
        return self._cache.digest(self._header)

    def _is_current(self) -> bool:
        assert self._cache is not None
        state, groups = self.optimizer.state, self.optimizer.param_groups
        return (
            len(state) == len(self._owners)
            and all(map(is_, state, self._owners))
            and tuple(map(tuple, state.values())) == self._names
            and all(map(is_, chain.from_iterable(map(dict.values, state.values())), self._cache.live))
            and tuple(map(tuple, groups)) == self._group_keys
            and list(map(len, map(_PARAMS, groups))) == self._counts
            and all(map(is_, chain.from_iterable(map(_PARAMS, groups)), self._params))
            and not self.optimizer._optimizer_state_dict_pre_hooks
            and not self.optimizer._optimizer_state_dict_post_hooks
            and self._cache.holds()
        )

    def _settings_now(self) -> list[bytes | None]:
        return [
            fingerprint(getter(group)) for getter, group in zip(self._getters, self.optimizer.param_groups, strict=True)
        ]

    def _spell_groups(self) -> bytes:
        groups = [
            {key: value for key, value in group.items() if key != "params"} | {"params": numbers}
            for group, numbers in zip(self.optimizer.param_groups, self._numbers, strict=True)
        ]
        return b',["param_groups",%b]]}' % structure_bytes(encode(groups)[0])

    def _rebuild(self) -> bool:
        """Look at the optimizer anew; return False where it must go through its state_dict each time."""
        self._cache = None
        optimizer = self.optimizer
        if not _has_plain_slots(optimizer):
            return False
        self._owners = tuple(optimizer.state)
        self._names = tuple(map(tuple, optimizer.state.values()))
        self._group_keys = tuple(map(tuple, optimizer.param_groups))
        self._counts = list(map(len, map(_PARAMS, optimizer.param_groups)))
        self._params = tuple(chain.from_iterable(map(_PARAMS, optimizer.param_groups)))
        self._getters = [
            itemgetter(*(key for key in group if key != "params"), *(["params"] if len(group) < 2 else []))
            for group in optimizer.param_groups
        ]
        tree = optimizer.state_dict()
        self._numbers = [list(group["params"]) for group in tree["param_groups"]]
        structure, found = encode(tree)
        self._settings = self._settings_now()
        if None in self._settings or tuple(tree) != ("state", "param_groups"):
            return False
        self._spelled_state = b'{"dict":[["state",%b]' % structure_bytes(structure["dict"][0][1])
        spelled = self._spelled_state + self._spell_groups()
        if spelled != structure_bytes(structure) or not is_plain(structure_bytes(structure["dict"][1][1])):
            return False
        self._header = header(spelled)
        slots = tuple(chain.from_iterable(map(dict.values, optimizer.state.values())))
        self._cache = TensorCache(slots, found)
        self.nbytes = self._cache.nbytes
        return True


def _has_plain_slots(optimizer: torch.optim.Optimizer) -> bool:
    """Whether the optimizer's state_dict is torch's own, over parameters whose slots are tensors."""
    import torch

    plain = torch.optim.Optimizer
    return (
        type(optimizer).state_dict is plain.state_dict
        and "state_dict" not in vars(optimizer)
        and not optimizer._optimizer_state_dict_pre_hooks
        and not optimizer._optimizer_state_dict_post_hooks
        and all(isinstance(owner, torch.Tensor) for owner in optimizer.state)
        and all(type(slots) is dict for slots in optimizer.state.values())
        and all(isinstance(slot, torch.Tensor) for slots in optimizer.state.values() for slot in slots.values())
    )
