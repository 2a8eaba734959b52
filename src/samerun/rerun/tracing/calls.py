"""Where an operation was called: phase, module and source line; in backward, those of the forward call it belongs to.

torch numbers the nodes of its graph in the order of the forward calls, so the number of the node that runs in backward
leads to the call that made it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from torch.nn.modules import module as modules
from torch.optim import optimizer as optimizers

import samerun

# With the separator: torchvision and samerun_lab are other packages.
_TORCH = f"{Path(torch.__file__).parent}/"
_OWN = f"{Path(samerun.__file__).parent}/"
_OWN_LOOP = tuple(f"{_OWN}{room}/" for room in ("run", "rerun", "data", "state", "streams", "tiers"))
_INSTALLED = ("site-packages", "dist-packages")
_ENGINE = f"{_TORCH}autograd/graph.py"
"""Below a frame of this file, the one that calls the engine, a frame belongs to whoever asked for the backward pass."""


@dataclass(frozen=True)
class Place:
    """Where one operation was called."""

    phase: str
    module: str | None
    source: str | None


class Calls:
    """Follows the calls of modules and optimizers while it watches."""

    def __init__(self, objects: Mapping[str, object], root: str, name_of: Callable[[torch.Tensor], str | None]) -> None:
        """`name_of` names a tracked tensor; see recorder.py for the rest."""
        self._root = root
        self._name_of = name_of
        self._paths = _module_paths(objects)
        self._stack: list[str] = []
        self._forward: dict[int, Place] = {}
        self._is_optimizing = False
        self._hooks: list[Any] = []
        self._labels: dict[str, str | None] = {}

    def watch(
        self, before_optimizer: Callable[[torch.optim.Optimizer], None], after_optimizer: Callable[[], None]
    ) -> None:
        """Follow every module and optimizer from now on; the two are told of each optimizer step."""

        def begin(optimizer: torch.optim.Optimizer, *_: object) -> None:
            self._is_optimizing = True
            before_optimizer(optimizer)

        def end(*_: object) -> None:
            self._is_optimizing = False
            after_optimizer()

        self._hooks = [
            modules.register_module_forward_pre_hook(self._enter),
            modules.register_module_forward_hook(self._leave, always_call=True),
            optimizers.register_optimizer_step_pre_hook(begin),
            optimizers.register_optimizer_step_post_hook(end),
        ]

    def unwatch(self) -> None:
        """Take every hook off again."""
        for hook in self._hooks:
            hook.remove()
        self._hooks, self._stack, self._is_optimizing = [], [], False

    def _enter(self, module: torch.nn.Module, _: object) -> None:
        known = self._paths.get(id(module))
        kind = type(module).__name__
        self._stack.append(known or (f"{self._stack[-1]}>{kind}" if self._stack else kind))

    def _leave(self, *_: object) -> None:
        if self._stack:
            self._stack.pop()

    def place(self) -> Place:
        """Say where the operation under way was called."""
        node: Any = torch._C._current_autograd_node()
        if node is not None:
            return self._backward_place(node)
        module = self._stack[-1] if self._stack else None
        place = Place("optimizer" if self._is_optimizing else "forward", module, self._source())
        self._forward.setdefault(torch.autograd._get_sequence_nr() - 1, place)  # type: ignore[attr-defined]
        return place

    def _backward_place(self, node: Any) -> Place:
        own = self._source(inside_engine=True)
        if self._stack:  # a checkpointed region runs forward again
            place = Place("recompute", self._stack[-1], own)
            self._forward.setdefault(torch.autograd._get_sequence_nr() - 1, place)  # type: ignore[attr-defined]
            return place
        forward = self._forward.get(node._sequence_nr())
        if forward is not None:
            return Place("backward", forward.module, own or forward.source)
        # A leaf that takes its gradient: torch numbers it as no call.
        leaf = node.variable if node.name().endswith("AccumulateGrad") else None
        return Place("backward", None if leaf is None else self._name_of(leaf), own)

    def _source(self, *, inside_engine: bool = False) -> str | None:
        """Return `file:line` of the innermost frame that is the user's, or a trainer's or library's."""
        frame: FrameType | None = sys._getframe(2)
        fallback: str | None = None
        while frame is not None:
            file = frame.f_code.co_filename
            if inside_engine and file == _ENGINE:
                return None
            label = self._label(file)
            if label is not None:
                return f"{label}:{frame.f_lineno}"
            if fallback is None and file.startswith(_OWN) and not file.startswith(f"{_OWN}rerun/"):
                fallback = f"samerun/{file[len(_OWN) :]}:{frame.f_lineno}"
            frame = frame.f_back
        return fallback

    def _label(self, file: str) -> str | None:
        if file not in self._labels:
            self._labels[file] = _label_of(file, self._root)
        return self._labels[file]


def _label_of(file: str, root: str) -> str | None:
    """Name a source file without the folders of this machine; None for what is torch's, or our loop's own."""
    if file.startswith((_TORCH, *_OWN_LOOP, "<")):
        return None
    if file.startswith(_OWN):
        inside = file[len(_OWN) :]
        return f"samerun/{inside}" if inside.startswith("trainers/") else None
    path = Path(file)
    is_inside = path.is_relative_to(root)
    parts = path.relative_to(root).parts if is_inside else path.parts
    # An environment may lie inside the project: what is installed there is no file of it.
    installed = next((at for at, part in enumerate(parts) if part in _INSTALLED), None)
    if installed is not None:
        return "/".join(parts[installed + 1 :])
    if is_inside:
        return "/".join(parts)
    if Path(sys.base_prefix) in path.parents:
        return None
    return "/".join(parts[-2:])


def _module_paths(objects: Mapping[str, object]) -> dict[int, str]:
    found: dict[int, str] = {}
    for name, thing in objects.items():
        if isinstance(thing, torch.nn.Module):
            for path, module in thing.named_modules():
                found.setdefault(id(module), f"{name}.{path}" if path else name)
    return found
