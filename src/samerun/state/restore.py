"""Taking the state of a live object, and putting a stored one back into it, bit for bit or not at all.

Knows modules, optimizers, plain dicts and anything with state_dict and load_state_dict; generators and other things
without these methods come in through an Adapter. Whether the restored object then digests to what was stored is
checked by the caller (digest.py).
"""

from __future__ import annotations

import sys
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from samerun.errors import RefusedError, SamerunError, UsageError
from samerun.state.leaves import type_name

if TYPE_CHECKING:
    import torch

DICTS = (dict, OrderedDict, defaultdict, Counter)
_SHOWN = 12


@runtime_checkable
class Stateful(Protocol):
    """What torch, torchdata and most libraries call something with state."""

    def state_dict(self) -> Any:
        """Return the state as a tree."""

    def load_state_dict(self, state_dict: Any, /) -> Any:
        """Take such a tree back."""


class Adapter(Protocol):
    """How to take and set the state of things that have no state_dict (generators, for instance)."""

    def knows(self, thing: object) -> bool:
        """Whether this adapter is for `thing`."""

    def state_of(self, thing: Any) -> object:
        """Return the state of `thing` as a tree."""

    def load_into(self, thing: Any, tree: Any) -> None:
        """Set the state of `thing`."""


def can_hold_state(thing: object, adapters: Sequence[Adapter] = ()) -> bool:
    """Whether `state_of` knows what to do with `thing`."""
    return _adapter(thing, adapters) is not None or type(thing) in DICTS or isinstance(thing, Stateful)


def state_of(thing: object, adapters: Sequence[Adapter] = ()) -> Any:
    """Return the state of an object as a tree. Its tensors are the live ones, not copies.

    Raises UsageError (SR-STATE-007) for a thing that has neither state_dict and load_state_dict nor an adapter.
    """
    adapter = _adapter(thing, adapters)
    if adapter is not None:
        return adapter.state_of(thing)
    if type(thing) in DICTS:
        return thing
    # The usual case first: asking the protocol costs 20 us, and this is asked at every step.
    is_usual = hasattr(type(thing), "state_dict") and hasattr(type(thing), "load_state_dict")
    if (is_usual or isinstance(thing, Stateful)) and not isinstance(thing, type):
        return thing.state_dict()  # type: ignore[attr-defined]
    raise UsageError(
        "SR-STATE-007",
        f"{type_name(thing)} has no state that could be saved",
        evidence=["it has no state_dict and load_state_dict, is no plain dict, and is no generator"],
        do="give it these two methods, or keep its numbers in a dict and track that",
    )


def load_into(thing: object, tree: Any, *, name: str, adapters: Sequence[Adapter] = ()) -> None:
    """Put a stored state into a live object, strictly. The tree is the object's afterwards: do not use it again.

    `name` is the component, for errors. Raises RefusedError: SR-STATE-010 where a module, SR-STATE-011 where an
    optimizer or a dict does not fit, SR-STATE-012 where the object's own load_state_dict failed.
    """
    adapter = _adapter(thing, adapters)
    torch = sys.modules.get("torch")
    try:
        if adapter is not None:
            adapter.load_into(thing, tree)
        elif type(thing) in DICTS:
            _load_dict(thing, tree, name)
        elif torch is not None and isinstance(thing, torch.nn.Module):
            _load_module(thing, tree, name)
        elif torch is not None and isinstance(thing, torch.optim.Optimizer):
            _load_optimizer(thing, tree, name)
        elif isinstance(thing, Stateful):
            thing.load_state_dict(tree)
        else:
            state_of(thing)
    except SamerunError:
        raise
    except Exception as problem:
        raise RefusedError(
            "SR-STATE-012",
            f"{name}: its load_state_dict refused the stored state",
            evidence=[f"{type_name(thing)}: {type(problem).__name__}: {str(problem)[:300]}"],
            do="make the object as it was made when the state was saved, or start a new run",
        ) from problem


def _adapter(thing: object, adapters: Sequence[Adapter]) -> Adapter | None:
    return next((adapter for adapter in adapters if adapter.knows(thing)), None)


def _load_dict(thing: Any, tree: Any, name: str) -> None:
    if type(tree) is not type(thing):
        raise _misfit(
            "SR-STATE-011", name, [f"it is {type_name(tree)} in the checkpoint, {type_name(thing)} in the program"]
        )
    thing.clear()
    thing.update(tree)


def _load_module(module: torch.nn.Module, tree: Any, name: str) -> None:
    problems = _module_problems(module.state_dict(), tree)
    if problems:
        raise _misfit("SR-STATE-010", name, problems)
    module.load_state_dict(tree)


def _module_problems(wanted: Mapping[str, Any], found: Any) -> list[str]:
    if not isinstance(found, Mapping):
        return [f"it is {type_name(found)} in the checkpoint, a module in the program"]
    problems = [f"{leaf!r} is in the model, not in the checkpoint" for leaf in wanted if leaf not in found]
    problems += [f"{leaf!r} is in the checkpoint, not in the model" for leaf in found if leaf not in wanted]
    for leaf, value in wanted.items():
        if leaf in found and (told := _told(found[leaf])) != (expected := _told(value)):
            problems.append(f"{leaf!r} is {told} in the checkpoint, {expected} in the model")
    return problems


def _told(value: Any) -> str:
    """Return dtype and shape of a tensor; everything else (extra state) is the module's own affair."""
    torch = sys.modules["torch"]
    if not isinstance(value, torch.Tensor):
        return "no tensor"
    return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"


def _load_optimizer(optimizer: torch.optim.Optimizer, tree: Any, name: str) -> None:
    import torch

    problems = _optimizer_problems(optimizer, tree)
    if problems:
        raise _misfit("SR-STATE-011", name, problems)
    # Its own loader runs, for its hooks and __setstate__; but it casts slots to the parameter's dtype (pytorch#43706).
    optimizer.load_state_dict(tree)
    if type(optimizer).load_state_dict is torch.optim.Optimizer.load_state_dict:
        _put_exact_slots(optimizer, tree)


def _optimizer_problems(optimizer: torch.optim.Optimizer, tree: Any) -> list[str]:
    if not isinstance(tree, Mapping) or not {"state", "param_groups"} <= set(tree):
        return [f"it is {type_name(tree)} in the checkpoint, {type_name(optimizer)} in the program"]
    saved, live = tree["param_groups"], optimizer.param_groups
    if len(saved) != len(live):
        return [f"it has {len(saved)} parameter groups in the checkpoint, {len(live)} in the program"]
    counts = [(len(a["params"]), len(b["params"])) for a, b in zip(saved, live, strict=True)]
    return [
        f"parameter group {index} has {a} parameters in the checkpoint, {b} in the program"
        for index, (a, b) in enumerate(counts)
        if a != b
    ]


def _put_exact_slots(optimizer: torch.optim.Optimizer, tree: Any) -> None:
    numbers = [number for group in tree["param_groups"] for number in group["params"]]
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    by_number = dict(zip(numbers, parameters, strict=True))
    for number, slots in tree["state"].items():
        live = optimizer.state[by_number[number]] if number in by_number else None
        if isinstance(slots, dict) and isinstance(live, dict):
            for slot, value in slots.items():
                live[slot] = _exact(value, live.get(slot))


def _exact(stored: Any, loaded: Any) -> Any:
    """Return the stored bits on the device that the optimizer chose; where it changed the kind, what it made."""
    torch = sys.modules["torch"]
    if isinstance(stored, torch.Tensor) and isinstance(loaded, torch.Tensor):
        return stored.to(device=loaded.device)
    if isinstance(stored, dict) and isinstance(loaded, dict):
        return {key: _exact(value, loaded.get(key)) for key, value in stored.items()}
    if type(stored) in (list, tuple) and type(loaded) is type(stored) and len(stored) == len(loaded):
        return type(stored)(_exact(a, b) for a, b in zip(stored, loaded, strict=True))
    return loaded


def _misfit(code: str, name: str, problems: Sequence[str]) -> RefusedError:
    more = [f"and {len(problems) - _SHOWN} more"] if len(problems) > _SHOWN else []
    return RefusedError(
        code,
        f"{name}: {problems[0]}",
        evidence=[*problems[1:_SHOWN], *more],
        do="build the object as it was when the state was saved, or start a new run with other settings",
    )
