"""Where a walk begins: the tracked objects, the variables of the user's frames that a later step may read, and the
variables of the user's modules. What follows from there is walker.py's."""

from __future__ import annotations

from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from samerun.record.walked import GRADIENTS as KIND
from samerun.record.walked import Boundary, Leaf
from samerun.run.carried import advice, things
from samerun.run.carried.frames import carried_by
from samerun.run.carried.gradients import gradients_token
from samerun.run.carried.place import Place
from samerun.run.carried.usage import Usage
from samerun.run.carried.walker import Walker
from samerun.run.gradients import Gradients
from samerun.run.tracked import Tracked
from samerun.run.values import Values

GRADIENTS = "gradients of {}"


class Look:
    """One look at everything: `boundary` for the record, `modules` those whose gradients nobody tracks."""

    def __init__(self, tracked: Tracked, frames: list[FrameType], usage: Usage) -> None:
        self._walker = Walker(usage, [*tracked.objects.values(), *_named(frames)])
        self._usage = usage
        self._visit_tracked(tracked)
        names = [self._visit_frame(frame, is_loop=number == 0) for number, frame in enumerate(frames)]
        for module in usage.modules:
            levels = [n for n, frame in zip(names, frames, strict=True) if frame.f_globals is vars(module)]
            self._visit_module(module, frozenset().union(*levels), is_running=_is_running(module, frames))
        kept = {id(p) for held in _gradients(tracked) for p in held.parameters()}
        self.modules = {
            GRADIENTS.format(path): module
            for path, module in self._walker.modules.items()
            if not all(id(parameter) in kept for parameter in module.parameters())
        }
        for (path, module), name in zip(self.modules.items(), map(_last_word, self.modules), strict=True):
            token, shown = gradients_token(module)
            self._walker.leaves[path] = Leaf(KIND, token, shown, path, advice.of_gradients(name))
        self.boundary = Boundary(tracked.digest(), self._walker.leaves)

    @property
    def unseen(self) -> list[str]:
        """What could not be looked into, with the reason."""
        return [f"{path}: {reason}" for path, reason in self._walker.unseen.items()]

    def _visit_tracked(self, tracked: Tracked) -> None:
        for name, thing in tracked.objects.items():
            if not isinstance(thing, (Gradients, Values)):
                how = advice.of_attribute(thing, is_module=things.is_module(thing), is_tracked=True)
                self._walker.start(
                    thing, Place(name, "attribute", name, how, is_tracked=True, is_saved=things.has_plain_state(thing))
                )

    def _visit_frame(self, frame: FrameType, *, is_loop: bool) -> frozenset[str]:
        """Visit the variables that are carried, and return their names where they are those of a module."""
        carried = carried_by(frame)
        is_module = frame.f_code.co_name == "<module>"
        for name, value in list(frame.f_locals.items()):
            if is_loop and name in carried.targets - carried.live:
                over = Place(f"what the loop iterates over: {name!r}", "iterator", name, advice.ITERATOR)
                self._walker.visit(value, over.whole("iterator", advice.ITERATOR))
            if name not in carried.live or name.startswith("__"):
                continue
            path = f"loop local {name!r}" if is_loop else f"local {name!r} of {frame.f_code.co_name}"
            place = Place(path, "local", name, advice.of_local(name), is_rebound=name in carried.rebound)
            self._walker.start(value, place)
        return carried.live if is_module else frozenset()

    def _visit_module(self, module: ModuleType, known: frozenset[str], *, is_running: bool) -> None:
        label = Path(vars(module)["__file__"]).stem if module.__name__ == "__main__" else module.__name__
        used = self._usage.globals if is_running else self._usage.globals | self._usage.read
        for name, value in list(vars(module).items()):
            if name.startswith("__") or name in known or name not in used:
                continue
            self._walker.visit(value, Place(f"global {name!r} of {label}", "global", name, advice.CLOSURE))


def _named(frames: list[FrameType]) -> list[object]:
    """List the objects with a state of their own that a variable of the loop names: they are reported by that name.

    A part of a tracked module is reported as that, whatever else it is called.
    """
    carried = [(carried_by(frame).live, dict(frame.f_locals)) for frame in frames]
    values = [value for live, variables in carried for name, value in variables.items() if name in live]
    return [value for value in values if things.is_stateful(value) and not things.is_module(value)]


def _is_running(module: ModuleType, frames: list[FrameType]) -> bool:
    return any(frame.f_globals is vars(module) and frame.f_code.co_name == "<module>" for frame in frames)


def _gradients(tracked: Tracked) -> list[Any]:
    return [thing.module for thing in tracked.objects.values() if isinstance(thing, Gradients)]


def _last_word(path: str) -> str:
    word = path.rpartition(" ")[2].strip("'")
    return word if word.isidentifier() else "model"
