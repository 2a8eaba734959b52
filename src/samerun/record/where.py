"""A condition on runs, as `ls --where` takes it: `status=stopped`, `evaluate/accuracy>0.95 and config.seed=7`.

A pure reading of text and plain values: nothing is ever evaluated as code. What the names mean is ls.py's business.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from samerun.errors import UsageError

_COMPARISON: Final = re.compile(r"\s*(?P<name>[^\s=!<>~]+)\s*(?P<op>!=|<=|>=|=|<|>|~)\s*(?P<value>.*?)\s*")
_AND: Final = re.compile(r"\s+and(?:\s+|$)|\s*,\s*")
_ORDERS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_WORDS: Final[Mapping[str, bool | None]] = {"true": True, "false": False, "null": None}


@dataclass(frozen=True)
class Comparison:
    """One name, one operator, one value as text."""

    name: str
    op: str
    value: str

    def holds(self, facts: Mapping[str, Any]) -> bool:
        """Say whether it holds of `facts`. A name that is not there fulfils nothing but `!=`."""
        if self.name not in facts:
            return self.op == "!="
        found = facts[self.name]
        if self.op == "~":
            return self.value in str(found)
        if self.op in _ORDERS:
            number, limit = _number(found), _number(self.value)
            return number is not None and limit is not None and _ORDERS[self.op](number, limit)
        return _is_equal(found, self.value) is (self.op == "=")


def parse_where(text: str) -> tuple[Comparison, ...]:
    """Read comparisons joined by `and` or commas: NAME followed by one of = != < <= > >= ~ (contains) and a value.

    Raises UsageError SR-LS-001 naming the part that is none.
    """
    return tuple(_comparison(part) for part in _AND.split(text.strip()))


def _comparison(part: str) -> Comparison:
    match = _COMPARISON.fullmatch(part)
    if match is None or not match["value"]:
        raise UsageError(
            "SR-LS-001",
            f"{part!r} is no condition",
            evidence=["wanted: NAME, one of = != < <= > >= ~, and a value; several joined by `and`"],
            do="samerun ls --where 'status=completed and evaluate/accuracy>0.9'",
        )
    value = match["value"]
    quoted = len(value) >= 2 and value[0] == value[-1] and value[0] in "'\""
    return Comparison(match["name"], match["op"], value[1:-1] if quoted else value)


def _is_equal(found: Any, text: str) -> bool:
    if isinstance(found, bool) or found is None:
        return text in _WORDS and _WORDS[text] is found
    number, wanted = _number(found), _number(text)
    return str(found) == text or (number is not None and number == wanted)


def _number(value: Any) -> float | int | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return value
    for read in (int, float):
        try:
            return read(str(value))
        except ValueError:
            continue
    return None
