"""The two rows of a step: what it logged and what it was made of. Pure; writing them is logs.py's work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from samerun.base.digest import xxh3
from samerun.record.metrics import is_clock, metrics_row
from samerun.record.trail import trail_row
from samerun.run.numbers import digest_numbers, read_numbers
from samerun.run.step import Step
from samerun.state.digest import digest_components


@dataclass(frozen=True)
class Facts:
    """What is known of a step at its boundary beside what it logged."""

    ambient: str
    """Fingerprint of the global generators after the body."""
    streams: Mapping[str, int]
    """Numbers handed out in the step, by template."""
    state: Mapping[str, str] | None
    """Digest of each component after the step; `None` where the trail is thinned."""
    seconds: float
    """Wall time of the body."""
    segment: int


def rows_of(step: Step, facts: Facts) -> tuple[dict[str, int | float], dict[str, Any], dict[str, Any]]:
    """Return the numbers of a step, its metrics row and its trail row. Raises UsageError SR-RUN-007 for no number."""
    numbers = read_numbers(step.logged)
    state_digest = None if facts.state is None else digest_components(facts.state)
    timed = {**numbers, "time/step_seconds": facts.seconds}
    metrics = metrics_row(step.index, state_digest, timed, segment=facts.segment)
    trail = trail_row(
        step.index,
        batch=_batch_digest(step.batches),
        streams=facts.streams,
        ambient=facts.ambient,
        loss=digest_numbers({column: value for column, value in numbers.items() if not is_clock(column)}),
        state=facts.state,
        segment=facts.segment,
    )
    return numbers, metrics, trail


def _batch_digest(batches: list[str]) -> str | None:
    if len(batches) < 2:
        return batches[0] if batches else None
    return xxh3("".join(batches).encode())
