"""Checkpoints of two runs compared by their leaf digests: the first common one that differs, and which tensors do.

Digests stand in checkpoint.json (and in digests/ for a checkpoint that was deleted), so no tensor is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from samerun.judge.difference import Difference, Kind

Leaves = Mapping[str, Mapping[str, str]]
"""Component -> leaf -> digest (dtype, shape and bytes are in it)."""

_SHOWN = 50


@dataclass(frozen=True)
class LeafComparison:
    """The steps of the checkpoints that both sides have and were compared, and what the first unequal one showed."""

    steps: tuple[int, ...] = ()
    first_unequal: int | None = None
    differences: tuple[Difference, ...] = field(default=(), repr=False)

    def leaf_of(self, component: str) -> Difference | None:
        """Give the first differing leaf of a component."""
        return next((found for found in self.differences if found.component == component), None)

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
    """Compare the checkpoints of `steps` (ascending, those both sides have) until one differs."""
    seen = []
    for step in steps:
        seen.append(step)
        found = tuple(_unequal(step, read_a(step), read_b(step)))
        if found:
            return LeafComparison(tuple(seen), step, found)
    return LeafComparison(tuple(seen))


def _unequal(step: int, a: Leaves, b: Leaves) -> Iterator[Difference]:
    # The state before step k is what row k - 1 left behind.
    row = max(step - 1, 0)
    for component in sorted(a.keys() | b.keys()):
        left, right = a.get(component), b.get(component)
        if left is None or right is None:
            sides = _presence(left), _presence(right)
            yield Difference(row, "structure", component, None, *sides, seen_at=step)
            continue
        for leaf in sorted(left.keys() | right.keys()):
            one, other = left.get(leaf), right.get(leaf)
            if one != other:
                kind: Kind = "value" if one is not None and other is not None else "structure"
                yield Difference(row, kind, component, leaf, one, other, seen_at=step)


def _presence(side: object) -> str | None:
    return None if side is None else "present"
