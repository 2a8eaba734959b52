"""How far two numbers are apart, in named steps: `bits`, `float32`, `bfloat16`, `apart`.

Nothing is accepted because of a name given here: under tier `exact` only `bits` is equal. The names say what kind of
drift a reader looks at: another order of summation, half precision, or another run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

NAMED: Final = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
"""How the records spell what JSON cannot hold."""


@dataclass(frozen=True)
class Tolerance:
    """A named distance: `|a - b| <= relative * max(|a|, |b|)`."""

    name: str
    relative: float


LADDER: Final = (
    # float32 has a spacing of 2**-23, bfloat16 of 2**-7; a factor of 64 leaves room for the sums of a short training.
    Tolerance("bits", 0.0),
    Tolerance("float32", 64 * 2.0**-23),
    Tolerance("bfloat16", 64 * 2.0**-14),
)


def distance(a: Any, b: Any) -> float:
    """Return the relative distance of two recorded values: 0.0 for equal ones, infinity for what cannot be compared.

    Relative to the larger magnitude. NaN equals NaN and nothing else; text equals itself.
    """
    if a == b and type(a) is type(b):
        return 0.0
    left, right = _number(a), _number(b)
    if left is None or right is None:
        return math.inf
    if (math.isnan(left) and math.isnan(right)) or left == right:
        return 0.0
    if not math.isfinite(left) or not math.isfinite(right):
        return math.inf
    return abs(left - right) / max(abs(left), abs(right))


def name_of(relative: float) -> str:
    """Name the narrowest tolerance that holds this distance; `apart` beyond the last."""
    return next((tolerance.name for tolerance in LADDER if relative <= tolerance.relative), "apart")


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        return NAMED.get(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)
