"""Checkpoints of two runs compared by their leaf digests: the first common one that differs, and which tensors do.

Digests stand in checkpoint.json (and in digests/ for a checkpoint that was deleted), so no tensor is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from samerun.judge.difference import Difference, Kind
from samerun.judge.roles import leaf_rank

Leaves = Mapping[str, Mapping[str, str]]
"""Component -> leaf -> digest (dtype, shape and bytes are in it)."""

_SHOWN: Final = 50
_FURTHER: Final = 8
"""Checkpoints after the first unequal one that are looked through for components that were equal there."""


@dataclass(frozen=True)
class LeafComparison:
    """The steps of the checkpoints that both sides have and were compared, and what the first unequal one showed."""

    steps: tuple[int, ...] = ()
    first_unequal: int | None = None
    differences: tuple[Difference, ...] = field(default=(), repr=False)
    later: tuple[Difference, ...] = field(default=(), repr=False)
    """Of components that are equal in the first unequal checkpoint: what the first further one that differs showed."""
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    """Component -> its leaves, on either side, in the newest checkpoint that was looked at."""

    def leaf_of(self, component: str) -> Difference | None:
        """Give the first differing leaf of a component."""
        return next((found for found in (*self.differences, *self.later) if found.component == component), None)

    def as_json(self) -> dict[str, Any]:
        """Give the section `checkpoints`; at most 50 leaves are listed, the count is whole."""
        return {
            "compared": list(self.steps),
            "first_unequal": self.first_unequal,
            "leaves_different": len(self.differences),
            "leaves": [
                {"component": found.component, "leaf": found.leaf, "kind": found.kind, "a": found.a, "b": found.b}
                for found in self.differences[:_SHOWN]
            ],
        }


def compare_leaves(
    steps: Sequence[int], read_a: Callable[[int], Leaves], read_b: Callable[[int], Leaves]
) -> LeafComparison:
    """Compare the checkpoints of `steps` (ascending, those both sides have) until one differs.

    A few further ones are read for the leaves of components that were still equal in that one.
    """
    names: dict[str, tuple[str, ...]] = {}
    for place, step in enumerate(steps):
        a, b = read_a(step), read_b(step)
        names = _names(a, b)
        found = tuple(_unequal(step, a, b))
        if found:
            later = _later(steps[place + 1 : place + 1 + _FURTHER], read_a, read_b, {one.component for one in found})
            return LeafComparison(tuple(steps[: place + 1]), step, found, later, names)
    return LeafComparison(tuple(steps), names=names)


def _later(
    steps: Sequence[int], read_a: Callable[[int], Leaves], read_b: Callable[[int], Leaves], known: set[str | None]
) -> tuple[Difference, ...]:
    later: list[Difference] = []
    for step in steps:
        a, b = read_a(step), read_b(step)
        fresh = [one for one in _unequal(step, a, b) if one.component not in known]
        later += fresh
        known |= {one.component for one in fresh}
        if known >= a.keys() | b.keys():
            break
    return tuple(later)


def _names(a: Leaves, b: Leaves) -> dict[str, tuple[str, ...]]:
    return {name: tuple({**a.get(name, {}), **b.get(name, {})}) for name in a.keys() | b.keys()}


def _unequal(step: int, a: Leaves, b: Leaves) -> Iterator[Difference]:
    # The state before step k is what row k - 1 left behind.
    row = max(step - 1, 0)
    for component in sorted(a.keys() | b.keys()):
        left, right = a.get(component), b.get(component)
        if left is None or right is None:
            sides = _presence(left), _presence(right)
            yield Difference(row, "structure", component, None, *sides, seen_at=step)
            continue
        for leaf in sorted(left.keys() | right.keys(), key=leaf_rank):
            one, other = left.get(leaf), right.get(leaf)
            if one != other:
                kind: Kind = "value" if one is not None and other is not None else "structure"
                yield Difference(row, kind, component, leaf, one, other, seen_at=step)


def _presence(side: object) -> str | None:
    return None if side is None else "present"
