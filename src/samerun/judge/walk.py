"""Two logs side by side: pairs of rows with the same step, in order, without holding either log in memory.

Rows with equal bytes are counted and never parsed: on equal runs the judge is as fast as the sums can be checked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from samerun.record.manifest import malformed

Row = dict[str, Any]

# The reader of a log has verified the row to be canonical JSON: json.loads would look for an encoding and white space.
_decode = json.JSONDecoder().raw_decode


@dataclass
class Side:
    """One log being read: its rows as JSON bytes, and what has been seen of them."""

    bodies: Iterator[bytes]
    count: int = 0
    first: int | None = None
    last: int | None = None
    row: Row | None = field(default=None, repr=False)

    def take(self) -> bytes | None:
        """Give the bytes of the next row, or None at the end."""
        body = next(self.bodies, None)
        if body is not None:
            self.count += 1
        return body

    def parse(self, body: bytes | None) -> None:
        """Make `body` the current row."""
        self.row = None if body is None else _decode(body.decode())[0]
        if self.row is not None:
            self._saw(self.row.get("step"))

    def _saw(self, step: Any) -> None:
        # The last equal row is seen again when the walk leaves the beginning that is equal.
        if type(step) is not int or (self.last is not None and step < self.last):
            raise malformed(f"row {self.count}", f"its step is {step!r}, after {self.last}")
        self.first = step if self.first is None else self.first
        self.last = step

    def advance(self) -> None:
        """Go to the next row."""
        self.parse(self.take())


@dataclass(frozen=True)
class Walked:
    """What a walk saw: rows that both sides have, and each side's own extent."""

    compared: int
    a: Side
    b: Side


def walk(
    a: Iterator[bytes],
    b: Iterator[bytes],
    compare: Callable[[int, Row | None, Row | None], None],
    passed: Callable[[bytes], None] | None = None,
) -> Walked:
    """Call `compare(step, row_a, row_b)` for every step whose rows are not the same bytes; a missing row is None.

    Rows with equal bytes at the beginning are not parsed; `passed` sees each of them. Raises DamageError for rows that
    have no step, or whose steps do not rise.
    """
    left, right = Side(a), Side(b)
    compared = _equal_prefix(left, right, passed)
    while left.row is not None or right.row is not None:
        step_a, step_b = _step(left.row), _step(right.row)
        if step_a == step_b:
            compared += 1
            compare(step_a, left.row, right.row)
            left.advance()
            right.advance()
        elif step_a < step_b:
            compare(int(step_a), left.row, None)
            left.advance()
        else:
            compare(int(step_b), None, right.row)
            right.advance()
    return Walked(compared, left, right)


def _step(row: Row | None) -> Any:
    return float("inf") if row is None else row["step"]


def _equal_prefix(left: Side, right: Side, passed: Callable[[bytes], None] | None) -> int:
    """Pass over equal bytes at the beginning; leaves each side at its first other row."""
    equal = 0
    previous = None
    while True:
        body_a, body_b = left.take(), right.take()
        if body_a is None or body_a != body_b:
            break
        if equal == 0:
            _saw_both(left, right, body_a)
        if passed is not None:
            passed(body_a)
        equal += 1
        previous = body_a
    if previous is not None:
        _saw_both(left, right, previous)
    left.parse(body_a)
    right.parse(body_b)
    return equal


def _saw_both(left: Side, right: Side, body: bytes) -> None:
    left.parse(body)
    right.parse(body)
