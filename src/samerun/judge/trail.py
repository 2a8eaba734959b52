"""Trails of two runs compared row by row: batch, draws, ambient fingerprint, logged numbers, state of each component.

A digest that one side did not compute (a thinned trail, another kind of digest) is no difference and is counted as
not compared. Which tensor it was is in leaves.py; which metric, in metrics.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from typing import Any, Final

from samerun.judge.difference import Difference, Kind
from samerun.judge.walk import Row, Walked, walk
from samerun.record.manifest import malformed

_NO_STATE: Final = b'"state":null'


def _table(row: Row, key: str) -> dict[str, Any] | None:
    value = row.get(key)
    if value is not None and not isinstance(value, dict):
        raise malformed("trail", f"{key} of step {row['step']} is {value!r:.80}")
    return value


@dataclass
class StatesSeen:
    """In how many rows the states could be compared, and until when they were equal."""

    compared: int = 0
    not_compared: int = 0
    """Rows in which one side has no state, or another kind of digest."""
    absent: int = 0
    """Rows in which neither side has a state: the trail is thinned."""
    _passed: bytes | None = field(default=None, repr=False)
    _last: int | None = None
    _is_parted: bool = False

    @property
    def last_equal(self) -> int | None:
        """The last step, before any whose states differ, after which both sides recorded a state, and an equal one."""
        if self._last is None and self._passed is not None:
            return int(json.loads(self._passed)["step"])
        return self._last

    def passed(self, body: bytes) -> None:
        """Take in a row that is the same bytes on both sides, without parsing it."""
        if _NO_STATE in body:
            self.absent += 1
        else:
            self.compared += 1
            self._passed = body

    def lacked(self, *, one_has_it: bool) -> None:
        """Take in a row whose states cannot be compared."""
        self.not_compared += one_has_it
        self.absent += not one_has_it

    def took(self, step: int, *, is_equal: bool) -> None:
        """Take in a row whose states were compared."""
        self.compared += 1
        self._is_parted = self._is_parted or not is_equal
        if not self._is_parted:
            self._last = step


@dataclass
class TrailComparison:
    """What a walk over both trails found; `differences` holds the first of each kind and subject."""

    renamed_steps: Set[int] = frozenset()
    """Steps whose rows of metrics hold other columns and equal values: their `loss` digests must differ."""
    found: dict[tuple[Kind, str, str], Difference] = field(default_factory=dict)
    rows_different: int = 0
    states: StatesSeen = field(default_factory=StatesSeen)
    drawn_a: dict[str, int] = field(default_factory=dict)
    drawn_b: dict[str, int] = field(default_factory=dict)
    """Draws by template over the rows that differ; equal rows add the same to both sides."""
    other_draws: dict[str, int] = field(default_factory=dict)
    """Template -> rows in which the sides drew another number from it."""
    walked: Walked | None = None

    @property
    def states_not_compared(self) -> int:
        """Rows in which one side has no state, or another kind of digest."""
        return self.states.not_compared

    def compare(self, step: int, a: Row | None, b: Row | None) -> None:
        """Take in the rows of one step."""
        if a is None or b is None:
            return
        parts = [
            self._one(step, a, b, "batch", "batch"),
            self._draws(step, a, b),
            self._one(step, a, b, "ambient", "ambient"),
            self._logged(step, a, b),
            self._states(step, a, b),
        ]
        self.rows_different += any(parts)

    def _note(
        self, step: int, kind: Kind, component: str, a: Any, b: Any, part: str, stream: str | None = None
    ) -> None:
        # After runs have parted every row differs: only the first of each subject is made into a Difference.
        subject = (kind, part, stream or component)
        if subject not in self.found:
            self.found[subject] = Difference(step, kind, component, None, a, b, stream=stream)

    def _one(self, step: int, a: Row, b: Row, key: str, kind: Kind) -> bool:
        left, right = a.get(key), b.get(key)
        if left == right:
            return False
        self._note(step, "structure" if left is None or right is None else kind, key, left, right, "row")
        return True

    def _logged(self, step: int, a: Row, b: Row) -> bool:
        if step in self.renamed_steps:
            return False
        return self._one(step, a, b, "loss", "value")

    def _draws(self, step: int, a: Row, b: Row) -> bool:
        left, right = _table(a, "streams") or {}, _table(b, "streams") or {}
        for drawn, counts in ((self.drawn_a, left), (self.drawn_b, right)):
            for template, count in counts.items():
                drawn[template] = drawn.get(template, 0) + count
        if left == right:
            return False
        for template in sorted(left.keys() | right.keys()):
            if left.get(template, 0) != right.get(template, 0):
                self._note(step, "draws", "streams", left.get(template, 0), right.get(template, 0), "streams", template)
                self.other_draws[template] = self.other_draws.get(template, 0) + 1
        return True

    def _states(self, step: int, a: Row, b: Row) -> bool:
        left, right = _table(a, "state"), _table(b, "state")
        is_comparable = left is not None and right is not None and a.get("kind") == b.get("kind")
        if not is_comparable or left is None or right is None:
            self.states.lacked(one_has_it=left is not None or right is not None)
            return False
        self.states.took(step, is_equal=left == right)
        if left == right:
            return False
        for name in sorted(left.keys() | right.keys()):
            one, other = left.get(name), right.get(name)
            if one != other:
                self._note(step, "structure" if one is None or other is None else "value", name, one, other, "state")
        return True

    def differences(self) -> list[Difference]:
        """List the first difference of every kind and subject."""
        return list(self.found.values())

    def as_json(self) -> dict[str, Any]:
        """Give the section `trail`."""
        walked = self.walked
        return {
            "rows_compared": walked.compared if walked is not None else 0,
            "rows_different": self.rows_different,
            "states_not_compared": self.states_not_compared,
            "first": [difference.as_json() for difference in self.found.values()],
        }

    def streams_json(self) -> list[dict[str, Any]]:
        """Give the section `streams`: templates from which the sides drew other numbers of values.

        `first_step`, `a` and `b`: the first such step, and what each side drew in it; `rows`: how many steps there are;
        `more_in_b`: over all of them.
        """
        rows = []
        for (kind, _, template), difference in sorted(self.found.items()):
            if kind == "draws":
                drawn = self.drawn_a.get(template, 0), self.drawn_b.get(template, 0)
                facts = {"stream": template, "first_step": difference.step, "more_in_b": drawn[1] - drawn[0]}
                rows.append({**facts, "a": difference.a, "b": difference.b, "rows": self.other_draws[template]})
        return rows


def compare_trails(a: Iterator[bytes], b: Iterator[bytes], *, renamed_steps: Set[int] = frozenset()) -> TrailComparison:
    """Compare two trails, given as the JSON bytes of their rows in order."""
    comparison = TrailComparison(renamed_steps)
    comparison.walked = walk(a, b, comparison.compare, comparison.states.passed)
    return comparison
