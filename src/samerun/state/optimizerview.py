"""The digest of a torch optimizer at every step: slots through cached addresses, settings spelled again when changed.

Before each use the optimizer is compared with what it was: a new, replaced or lazily made slot, other parameters or
groups, a hook are seen, and the cache is made anew.
"""

from __future__ import annotations

from itertools import chain
from operator import is_, itemgetter
from typing import TYPE_CHECKING, Any

from samerun.state.digest import header, structure_bytes
from samerun.state.tensorcache import TensorCache
from samerun.state.tree import encode
from samerun.state.treeview import TreeView, fingerprint, is_plain

if TYPE_CHECKING:
    import torch

_params = itemgetter("params")


class OptimizerView:
    """One optimizer."""

    def __init__(self, optimizer: torch.optim.Optimizer) -> None:
        self._optimizer = optimizer
        self._by_state_dict = TreeView(optimizer)
        self._seen: _OptimizerShape | None = None
        self._settings: _Settings | None = None
        self._cache: TensorCache | None = None
        self._spelled_state = b""
        self._header = b""

    @property
    def nbytes(self) -> int:
        """Bytes of tensors that the last `digest` hashed."""
        return self._by_state_dict.nbytes if self._cache is None else self._cache.nbytes

    def digest(self) -> str:
        """Return `xxh3:...` of the optimizer's state_dict now."""
        if not self._is_current():
            self._cache = self._look()
        elif self._settings is not None and self._settings.have_changed():
            self._cache = self._cache if self._spell() else None
        return self._by_state_dict.digest() if self._cache is None else self._cache.digest(self._header)

    def _is_current(self) -> bool:
        return (
            self._cache is not None
            and self._seen is not None
            and self._seen.holds(self._optimizer, self._cache.live)
            and self._cache.holds()
        )

    def _look(self) -> TensorCache | None:
        """Look at the optimizer anew; None where it must go through its state_dict each time."""
        if not _has_plain_slots(self._optimizer):
            return None
        tree = self._optimizer.state_dict()
        structure, found = encode(tree)
        self._seen = _OptimizerShape(self._optimizer)
        self._settings = _Settings(self._optimizer, [list(group["params"]) for group in tree["param_groups"]])
        self._spelled_state = b'{"dict":[["state",%b]' % structure_bytes(structure["dict"][0][1])
        if not self._spell() or self._header != header(structure_bytes(structure)):
            return None
        slots = tuple(chain.from_iterable(map(dict.values, self._optimizer.state.values())))
        return TensorCache(slots, found)

    def _spell(self) -> bool:
        """Spell the header with the settings of now; False where they hold more than plain values."""
        assert self._settings is not None
        spelled = self._settings.spell()
        if spelled is not None:
            self._header = header(b'%b,["param_groups",%b]]}' % (self._spelled_state, spelled))
        return spelled is not None


class _OptimizerShape:
    """Which parameters, slots and settings an optimizer had at one moment, by identity and name."""

    def __init__(self, optimizer: torch.optim.Optimizer) -> None:
        self._owners = tuple(optimizer.state)
        self._names = tuple(map(tuple, optimizer.state.values()))
        self._group_keys = tuple(map(tuple, optimizer.param_groups))
        self._params = tuple(chain.from_iterable(map(_params, optimizer.param_groups)))
        self._counts = list(map(len, map(_params, optimizer.param_groups)))

    def holds(self, optimizer: torch.optim.Optimizer, slots: tuple[torch.Tensor, ...]) -> bool:
        """Whether the optimizer still has exactly these, and these slots."""
        state, groups = optimizer.state, optimizer.param_groups
        return (
            len(state) == len(self._owners)
            and all(map(is_, state, self._owners))
            and tuple(map(tuple, state.values())) == self._names
            and all(map(is_, chain.from_iterable(map(dict.values, state.values())), slots))
            and tuple(map(tuple, groups)) == self._group_keys
            and list(map(len, map(_params, groups))) == self._counts
            and all(map(is_, chain.from_iterable(map(_params, groups)), self._params))
            and not optimizer._optimizer_state_dict_pre_hooks
            and not optimizer._optimizer_state_dict_post_hooks
        )


class _Settings:
    """The plain values of the parameter groups: learning rates, betas, flags."""

    def __init__(self, optimizer: torch.optim.Optimizer, numbers: list[list[int]]) -> None:
        self._optimizer = optimizer
        self._numbers = numbers
        self._getters = [_values_getter(group) for group in optimizer.param_groups]
        self._seen: list[bytes | None] = []

    def have_changed(self) -> bool:
        """Whether any value is another one than at the last `spell`."""
        return self._fingerprints() != self._seen

    def _fingerprints(self) -> list[bytes | None]:
        groups = self._optimizer.param_groups
        return [fingerprint(getter(group)) for getter, group in zip(self._getters, groups, strict=True)]

    def spell(self) -> bytes | None:
        """Return `param_groups` of the state_dict as it stands in the structure; None where it is not all plain."""
        self._seen = self._fingerprints()
        if None in self._seen:
            return None
        groups = [
            {key: value for key, value in group.items() if key != "params"} | {"params": numbers}
            for group, numbers in zip(self._optimizer.param_groups, self._numbers, strict=True)
        ]
        spelled = structure_bytes(encode(groups)[0])
        return spelled if is_plain(spelled) else None


def _values_getter(group: dict[str, Any]) -> Any:
    keys = [key for key in group if key != "params"]
    return itemgetter(*keys) if keys else len


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
