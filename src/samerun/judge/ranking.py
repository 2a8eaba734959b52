"""Which difference comes first, what else differs in its step, and the leaf behind a digest that differs.

Earlier steps come first; within a step what was put in, then what was computed, then the states in the order in which
one moves the other (roles.py). Finding the differences is the business of trail.py, metrics.py and leaves.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from samerun.judge.difference import ORDER, Difference
from samerun.judge.leaves import LeafComparison
from samerun.judge.metrics import MetricsComparison
from samerun.judge.roles import leaf_rank, rank_of

_SLOT: Final = re.compile(r"state/(?P<number>[0-9]{1,9})/.+")
_NUMBERS: Final = ("loss", "metrics")
_EVALUATION: Final = "evaluate/"


@dataclass(frozen=True)
class Ranking:
    """What decides the order: both logs of numbers, the checkpoints, and the names behind the slots of optimizers."""

    metrics: MetricsComparison
    leaves: LeafComparison
    parameters: Mapping[str, Sequence[str | None]]
    places: Mapping[str, int] = field(default_factory=dict)
    """The order in which the loop tracks its objects: it decides among components of one role."""

    def ranked(self, found: Iterable[Difference]) -> list[Difference]:
        """Give the differences in order, each with its leaf where one is known, the first with what else differs."""
        ordered = [self._named(difference) for difference in sorted(found, key=self._key)]
        if not ordered:
            return []
        first, place = ordered[0], _step(ordered[0])
        same_step = [label(one) for one in ordered[1:] if _step(one) == place and one.component is not None]
        also = tuple(name for name in dict.fromkeys(same_step) if name != label(first))
        return [replace(first, also=also), *ordered[1:]]

    def _key(self, one: Difference) -> tuple[int, int, int, int, int, str, bool, tuple[int, str]]:
        return (
            _step(one),
            ORDER[one.kind],
            self._stage(one),
            0 if one.component is None else rank_of(one.component, self.leaves.names.get(one.component, ())),
            self.places.get(one.component or "", len(self.places)),
            str(one.component),
            one.seen_at is not None,
            leaf_rank(one.leaf or one.stream or ""),
        )

    def _stage(self, one: Difference) -> int:
        """0: computed in the step; 1: a state that it left; 2: an evaluation of that state."""
        if one.component not in _NUMBERS:
            return 1
        columns = [one.leaf] if one.leaf else self._columns_at(one.step)
        return 2 if columns and all(column.startswith(_EVALUATION) for column in columns) else 0

    def _columns_at(self, step: int) -> list[str]:
        # An evaluation comes after the step that it looks at.
        columns = [name for name, drift in self.metrics.columns.items() if drift.step == step]
        return sorted(columns, key=lambda name: (name.startswith(_EVALUATION), name))

    def _named(self, one: Difference) -> Difference:
        """Name the metric behind a digest of logged numbers, the tensor behind a digest of a component."""
        if one.component == "loss" and one.kind == "value" and one.leaf is None:
            for column in self._columns_at(one.step):
                drift = self.metrics.columns[column]
                return replace(one, leaf=column, a=drift.a, b=drift.b)
        if one.leaf is None and one.component is not None and one.kind in ("value", "structure"):
            leaf = self.leaves.leaf_of(one.component)
            if leaf is not None and leaf.leaf is not None:
                is_same_row = leaf.seen_at == one.step + 1
                seen_at = None if is_same_row else leaf.seen_at
                one = replace(one, kind=leaf.kind, leaf=leaf.leaf, a=leaf.a, b=leaf.b, seen_at=seen_at)
        return replace(one, parameter=self._parameter(one))

    def _parameter(self, one: Difference) -> str | None:
        slot = _SLOT.fullmatch(one.leaf or "")
        names = self.parameters.get(one.component or "", ())
        if slot is None or int(slot["number"]) >= len(names):
            return None
        return names[int(slot["number"])]


def _step(one: Difference) -> int:
    # The state before step 0 comes before row 0.
    return -1 if one.seen_at == 0 else one.step


def label(one: Difference) -> str:
    """Name the subject of a difference in a word or two: `batch`, `stream user/augment`, `train/loss`, `optim`."""
    if one.kind == "draws":
        return f"stream {one.stream}"
    if one.component in _NUMBERS and one.leaf:
        return one.leaf
    return str(one.component)
