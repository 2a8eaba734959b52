"""What an object holds, read without running any of its code: `__dict__`, slots, and what torch keeps in C.

Also what is left out because it cannot be state of a training: modules, files, locks, loggers, progress bars, and the
insides of torch and of this package.
"""

from __future__ import annotations

import sys
from collections import OrderedDict, UserDict, UserList
from collections.abc import Iterator
from functools import lru_cache
from types import GetSetDescriptorType, MemberDescriptorType, ModuleType, SimpleNamespace
from typing import Any

_SHOWING = frozenset({"tqdm", "rich", "logging", "wandb", "tensorboard", "tensorboardX", "mlflow", "matplotlib"})
_OURS = "samerun"
_OWN_LOOPS = "samerun.trainers"
_OF_TORCH = ("torch.nn", "torch.optim", "torch.utils.data", "torch.amp", "torch.cuda.amp", "torch.ao", "torch.random")
_OF_PYTHON = (SimpleNamespace, OrderedDict, UserDict, UserList)
_MODULE_EXTRAS = frozenset(
    {"_parameters", "_buffers", "_modules", "training", "_flat_weights", "_flat_weight_refs", "_all_weights"}
    | {"_compiled_call_impl", "call_super_init", "dump_patches"}
)
_LEFT_OUT = frozenset({"_per_optimizer_states", "_zero_grad_profile_name", "_patch_step_function"})
"""Keyed by addresses, or remade by torch whenever they are needed."""


def is_left_out(value: object) -> bool:
    """Whether a value is none that a training could keep state in, or one whose insides are not the user's."""
    kind = type(value)
    return issubclass(kind, ModuleType) or _is_left_out(kind, str(kind.__module__))


def _is_left_out(kind: type, module: str) -> bool:
    top = module.partition(".")[0]
    if top == _OURS:
        return not module.startswith(_OWN_LOOPS)
    if top == "torch":
        return not module.startswith(_OF_TORCH)
    if kind in _OF_PYTHON or (top == "argparse" and kind.__name__ == "Namespace"):
        return False
    return top in _SHOWING or top in sys.stdlib_module_names


def is_ours(value: object) -> bool:
    """Whether the class of a value is of this package."""
    return str(type(value).__module__).partition(".")[0] == _OURS


def attributes_of(value: object) -> Iterator[tuple[str, Any]]:
    """Yield name and value of each attribute in `__dict__` and in slots; no property is asked."""
    for name, item in list(_dict_of(value).items()):
        if type(name) is str and name not in _LEFT_OUT:
            yield name, item
    for base in type(value).__mro__:
        for name, member in list(vars(base).items()):
            if type(member) is MemberDescriptorType and not name.startswith("__"):
                try:
                    yield name, member.__get__(value)
                except AttributeError:
                    continue  # a slot that nothing was put into


def _dict_of(value: object) -> dict[str, Any]:
    for base in type(value).__mro__:
        member: Any = vars(base).get("__dict__")
        if type(member) in (GetSetDescriptorType, MemberDescriptorType):
            found = member.__get__(value)
            return found if type(found) is dict else {}
    return {}


def is_module(value: object) -> bool:
    """Whether a value is a torch module."""
    torch = sys.modules.get("torch")
    return torch is not None and issubclass(type(value), torch.nn.Module)


def is_optimizer(value: object) -> bool:
    """Whether a value is a torch optimizer."""
    torch = sys.modules.get("torch")
    return torch is not None and issubclass(type(value), torch.optim.Optimizer)


def is_stateful(value: object) -> bool:
    """Whether a value has the two methods of what can be tracked."""
    return all(any(name in vars(base) for base in type(value).__mro__) for name in ("state_dict", "load_state_dict"))


def is_batch_iterator(value: object) -> bool:
    """Whether a value is the iterator of a torch DataLoader."""
    return any(
        base.__name__ == "_BaseDataLoaderIter" and base.__module__.startswith("torch.") for base in type(value).__mro__
    )


def has_plain_state(value: object) -> bool:
    """Whether the state_dict of a torch module or optimizer is torch's own: then all that it should hold is in it."""
    torch = sys.modules.get("torch")
    kind: Any = type(value)
    if torch is None:
        return False
    if issubclass(kind, torch.nn.Module):
        plain = torch.nn.Module
        return kind.state_dict is plain.state_dict and kind._save_to_state_dict is plain._save_to_state_dict
    return issubclass(kind, torch.optim.Optimizer) and kind.state_dict is torch.optim.Optimizer.state_dict


@lru_cache(maxsize=1)
def module_names() -> frozenset[str]:
    """Return the attributes that every torch module has: registries, which are looked into one by one, and flags."""
    torch = sys.modules["torch"]
    return frozenset(vars(torch.nn.Module())) | _MODULE_EXTRAS


HOOKS = {
    "_forward_hooks": "forward hook",
    "_forward_pre_hooks": "forward pre-hook",
    "_backward_hooks": "backward hook",
    "_backward_pre_hooks": "backward pre-hook",
    "_state_dict_hooks": "state_dict hook",
    "_load_state_dict_post_hooks": "load_state_dict hook",
    "_optimizer_step_pre_hooks": "step pre-hook",
    "_optimizer_step_post_hooks": "step post-hook",
    "_optimizer_state_dict_post_hooks": "state_dict hook",
    "_optimizer_load_state_dict_post_hooks": "load_state_dict hook",
}
"""Where modules and optimizers keep the functions that they call, and how they are named."""


def hooks_of(value: object) -> Iterator[tuple[str, Any]]:
    """Yield the name of each hook of a module or optimizer, and the hook; a second one of a kind is numbered."""
    attributes = _dict_of(value)
    for attribute, name in HOOKS.items():
        for number, hook in enumerate(list((attributes.get(attribute) or {}).values()), 1):
            yield (name if number == 1 else f"{name} {number}"), hook


def loader_parts(value: object) -> Iterator[tuple[str, Any]] | None:
    """Yield what is the user's inside one of our loaders; None for anything else."""
    from samerun.data.loader import Loader

    return _parts_of(value) if type(value) is Loader else None


def _parts_of(loader: Any) -> Iterator[tuple[str, Any]]:
    feed = _dict_of(loader).get("_feed")
    inner = _dict_of(_dict_of(feed).get("_items") or feed)
    fetcher = _dict_of(inner.get("_fetcher"))
    for name in ("dataset", "transform", "collate", "keep"):
        if fetcher.get(f"_{name}") is not None:
            yield name, fetcher[f"_{name}"]


def has_workers(loader: Any) -> bool:
    """Whether the items of one of our loaders are made in other processes."""
    return _dict_of(loader).get("_pool") is not None
