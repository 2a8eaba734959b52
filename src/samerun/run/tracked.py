"""What a checkpoint holds: named objects of the loop, read and put back through `state/`.

This file knows names, order and train/eval modes; how an object's state is taken apart is state/'s work.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from samerun.errors import DamageError, RefusedError, UsageError
from samerun.run.adapters import ADAPTERS
from samerun.run.flags import Modes, flags_of, modes_of, put_flags
from samerun.run.gradients import Gradients
from samerun.run.parameters import parameter_names
from samerun.run.unstored import refuse_read_secrets
from samerun.state.digest import digest_components, digest_tree
from samerun.state.restore import can_hold_state, load_into, state_of
from samerun.state.view import StateView


@dataclass(frozen=True)
class Copied:
    """The state of tracked objects at one instant, in memory of its own."""

    trees: Mapping[str, Any]
    digests: Mapping[str, str]
    flags: Mapping[str, Mapping[str, list[str]]]


class Tracked:
    """Named objects, in the order in which they were tracked."""

    def __init__(self) -> None:
        self._objects: dict[str, object] = {}
        self._view: StateView | None = None
        self._is_fixed = False

    @classmethod
    def of(cls, objects: Mapping[str, object]) -> Self:
        """Track these objects."""
        tracked = cls()
        tracked.add(objects)
        return tracked

    def fix(self) -> None:
        """Take no further objects: from here on checkpoints hold what is tracked now."""
        self._is_fixed = True

    @property
    def objects(self) -> Mapping[str, object]:
        """The tracked objects by name, in the order in which they were tracked."""
        return self._objects

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._objects)

    def add(self, objects: Mapping[str, object]) -> None:
        """Track more objects.

        Raises UsageError SR-RUN-009 for a name that is taken or no plain word, SR-STATE-007 for a thing without state,
        and RefusedError SR-RUN-003 after `fix`.
        """
        if self._is_fixed:
            raise RefusedError(
                "SR-RUN-003",
                f"track({', '.join(objects)}) inside the loop",
                evidence=(f"tracked: {', '.join(self._objects)}",),
                do="track everything before run.steps or run.epochs: a checkpoint has been written without it",
            )
        for name, thing in objects.items():
            if name in self._objects or not name.isidentifier():
                raise UsageError(
                    "SR-RUN-009",
                    f"'{name}' cannot be tracked",
                    evidence=(f"tracked already: {', '.join(self._objects)}",),
                    do="give each tracked object a name of its own, spelled like a Python variable",
                )
            held = Gradients(thing) if name == "gradients" else thing  # type: ignore[arg-type]
            if not can_hold_state(held, ADAPTERS):
                state_of(held, ADAPTERS)  # raises, and says what is wrong with it
            self._objects[name] = held
        self._view = None

    def holds(self, thing: object) -> bool:
        """Say whether this very object is tracked."""
        return any(thing is one for one in self._objects.values())

    def capture(self) -> dict[str, Any]:
        """Return the state tree of every component, by name (the trees share memory with the live objects)."""
        trees = {name: state_of(thing, ADAPTERS) for name, thing in self._objects.items()}
        refuse_read_secrets(trees)
        return trees

    def restore(self, trees: Mapping[str, Any], digests: Mapping[str, str], where: str) -> None:
        """Put stored states back, in tracked order, and check that each object now holds exactly what was stored.

        Raises UsageError SR-RUN-010 when the names differ, DamageError SR-RUN-011 when an object took another state.
        """
        if set(trees) != set(self._objects):
            raise UsageError(
                "SR-RUN-010",
                f"{where} holds other components than this loop tracks",
                evidence=(f"stored: {', '.join(sorted(trees))}", f"tracked: {', '.join(sorted(self._objects))}"),
                do="track the same names as the run that wrote the checkpoint, or samerun train RECIPE --new",
            )
        for name, thing in self._objects.items():
            load_into(thing, trees[name], name=f"{where}/{name}", adapters=ADAPTERS)
        # ORDER: all are checked after all are loaded, since loading one may change another (a scheduler its optimizer).
        for name, thing in self._objects.items():
            wanted, found = digests[name], digest_tree(state_of(thing, ADAPTERS))
            if found != wanted:
                raise DamageError(
                    "SR-RUN-011",
                    f"{where}: '{name}' did not take back its state",
                    evidence=(f"stored: {wanted}", f"after load_state_dict: {found}"),
                    do="its load_state_dict must restore all that its state_dict returns: samerun explain SR-RUN-011",
                )
        self._view = None

    def copy(self) -> Copied:
        """Copy the state of every component, to be put back in this process: the live objects go on."""
        trees = {name: copy.deepcopy(tree) for name, tree in self.capture().items()}
        return Copied(trees, {name: digest_tree(tree) for name, tree in trees.items()}, self.flags())

    def put_back(self, copied: Copied) -> None:
        """Restore what has changed since the copy; what has not (a loader) is left alone."""
        changed = {name for name, tree in self.capture().items() if digest_tree(tree) != copied.digests[name]}
        for name in (name for name in self._objects if name in changed):
            tree = copy.deepcopy(copied.trees[name])
            load_into(self._objects[name], tree, name=name, adapters=ADAPTERS)
        self.put_flags(copied.flags)

    def digests(self) -> dict[str, str]:
        """Digest every component as it is now."""
        if self._view is None:
            self._view = StateView(self._objects, ADAPTERS)
        return self._view.digests()

    def digest(self) -> str:
        """Digest all components together, as of now."""
        return digest_components(self.digests())

    def nbytes(self) -> int:
        """Count the bytes of all tracked tensors."""
        self.digests()
        assert self._view is not None
        return self._view.nbytes

    def modes(self) -> Modes:
        """Remember the train/eval flag of every module inside the tracked objects."""
        return modes_of(self._objects.values())

    def flags(self) -> dict[str, dict[str, list[str]]]:
        """Name what state_dict leaves out: parts in eval mode, parameters that are not trained."""
        return flags_of(self._objects)

    def parameters(self) -> dict[str, list[str | None]]:
        """Name the parameter behind each number in the state of an optimizer."""
        return parameter_names(self._objects)

    def put_flags(self, stored: Mapping[str, Mapping[str, list[str]]]) -> None:
        """Set what `flags` named."""
        put_flags(self._objects, stored)
