"""Metrics of two runs compared column by column; clock columns never count.

A column that one side lacks is structural drift and moves no value. Columns of a watching evaluation may be lacking
where its cadence (an aside setting) differs; the caller says so. What the trail knows is in trail.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from samerun.judge.difference import Difference
from samerun.judge.tolerance import distance, name_of
from samerun.judge.walk import Row, Walked, walk
from samerun.record.metrics import SEGMENT, STATE_DIGEST, STEP, is_clock

_NO_NUMBER: Final = frozenset({STEP, STATE_DIGEST, SEGMENT})


@dataclass
class Drift:
    """How one column parts: where first, with which values, and how far apart at most."""

    step: int
    a: Any
    b: Any
    largest: float = 0.0
    rows: int = 0


@dataclass
class MetricsComparison:
    """What a walk over both metrics logs found."""

    evaluation_may_lack: bool = False
    """Whether `evaluate/` columns may stand on one side only, because the aside cadence differs."""
    columns: dict[str, Drift] = field(default_factory=dict)
    only_in_a: dict[str, int] = field(default_factory=dict)
    """Column -> first step at which only `a` has it."""
    only_in_b: dict[str, int] = field(default_factory=dict)
    structural_steps: set[int] = field(default_factory=set)
    """Steps whose rows hold other columns."""
    value_steps: set[int] = field(default_factory=set)
    first_state: tuple[int, str, str] | None = None
    walked: Walked | None = None

    def compare(self, step: int, a: Row | None, b: Row | None) -> None:
        """Take in the rows of one step."""
        if a is None or b is None:
            return
        columns = tuple(a)
        if columns != tuple(b):
            self._compare_columns(step, a, b)
            columns = tuple(a.keys() & b.keys())
        for column in _counting(columns):
            if a[column] != b[column]:
                self._part(step, column, a[column], b[column])
        if self.first_state is None and a.get(STATE_DIGEST) != b.get(STATE_DIGEST):
            self._note_state(step, a.get(STATE_DIGEST), b.get(STATE_DIGEST))

    def _note_state(self, step: int, a: str | None, b: str | None) -> None:
        if a is not None and b is not None:
            self.first_state = (step, a, b)

    def _compare_columns(self, step: int, a: Row, b: Row) -> None:
        for own, other, found in ((a, b, self.only_in_a), (b, a, self.only_in_b)):
            for column in own.keys() - other.keys():
                if not is_left_out(column):
                    self.structural_steps.add(step)
                    found.setdefault(column, step)

    def _part(self, step: int, column: str, a: Any, b: Any) -> None:
        drift = self.columns.get(column)
        if drift is None:
            drift = self.columns[column] = Drift(step, a, b)
        drift.largest = max(drift.largest, distance(a, b))
        drift.rows += 1
        self.value_steps.add(step)

    def differences(self) -> Iterator[Difference]:
        """Yield the first difference of every column that counts."""
        for column, drift in sorted(self.columns.items()):
            yield Difference(drift.step, "value", "metrics", column, drift.a, drift.b)
        for column, step in sorted(self.only_in_a.items()):
            if not self._may_lack(column):
                yield Difference(step, "structure", "metrics", column, "present", None)
        for column, step in sorted(self.only_in_b.items()):
            if not self._may_lack(column):
                yield Difference(step, "structure", "metrics", column, None, "present")

    def lacking(self) -> list[str]:
        """List the columns that one side lacks and that were left out of the answer."""
        return sorted(column for column in {*self.only_in_a, *self.only_in_b} if self._may_lack(column))

    def _may_lack(self, column: str) -> bool:
        return self.evaluation_may_lack and column.startswith("evaluate/")

    def as_json(self) -> dict[str, Any]:
        """Give the section `metrics`."""
        return {
            "rows_compared": self.walked.compared if self.walked is not None else 0,
            "columns": {
                column: {
                    "first_step": drift.step,
                    "a": drift.a,
                    "b": drift.b,
                    "rows": drift.rows,
                    "largest_relative": drift.largest if drift.largest != float("inf") else "Infinity",
                    "within": name_of(drift.largest),
                }
                for column, drift in sorted(self.columns.items())
            },
            "only_in_a": dict(sorted(self.only_in_a.items())),
            "only_in_b": dict(sorted(self.only_in_b.items())),
        }


@lru_cache(maxsize=256)
def _counting(columns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(column for column in columns if not is_left_out(column))


def is_left_out(column: str) -> bool:
    """Say whether a column is no number of the training: clock columns, digests, the row's own keys."""
    return column in _NO_NUMBER or is_clock(column)


def compare_metrics(a: Iterator[bytes], b: Iterator[bytes], *, evaluation_may_lack: bool = False) -> MetricsComparison:
    """Compare two metrics logs, given as the JSON bytes of their rows in order."""
    comparison = MetricsComparison(evaluation_may_lack)
    comparison.walked = walk(a, b, comparison.compare)
    return comparison
