"""What a module's state_dict leaves out and a run depends on: train/eval modes, and which parameters are trained.

A checkpoint keeps both, since a loop may change them on the way (gradual unfreezing, a part put in eval mode for good).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Modes:
    """The train/eval flag of each module at one instant."""

    flags: tuple[tuple[Any, bool], ...]

    def put_back(self) -> None:
        """Set every flag as it was."""
        for module, is_training in self.flags:
            module.training = is_training


def modes_of(objects: Iterable[object]) -> Modes:
    """Remember the train/eval flag of every module inside the objects."""
    return Modes(tuple((part, part.training) for module in _modules(objects) for part in module.modules()))


def flags_of(objects: Mapping[str, object]) -> dict[str, dict[str, list[str]]]:
    """Name, for each module by its component, the parts in eval mode and the parameters that are not trained."""
    return {
        name: {
            "eval": [path for path, part in module.named_modules() if not part.training],
            "frozen": [path for path, parameter in module.named_parameters() if not parameter.requires_grad],
        }
        for name, module in _named_modules(objects)
    }


def put_flags(objects: Mapping[str, object], stored: Mapping[str, Mapping[str, list[str]]]) -> None:
    """Set modes and trained parameters of every module as `flags_of` named them."""
    for name, module in _named_modules(objects):
        flags = stored.get(name)
        if flags is None:
            continue
        for path, part in module.named_modules():
            part.training = path not in flags["eval"]
        for path, parameter in module.named_parameters():
            parameter.requires_grad_(path not in flags["frozen"])


def _modules(objects: Iterable[object]) -> list[Any]:
    torch = sys.modules.get("torch")
    return [] if torch is None else [thing for thing in objects if isinstance(thing, torch.nn.Module)]


def _named_modules(objects: Mapping[str, object]) -> Iterator[tuple[str, Any]]:
    for name, thing in objects.items():
        for module in _modules([thing]):
            yield name, module
