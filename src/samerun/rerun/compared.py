"""Two runs compared for a proof: the judge's verdict, and of each component over how many steps it stands.

A record that goes further than the other may be compared over its first steps. What differs and how it is named is
judge/'s work.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from samerun.judge.diff import diff
from samerun.judge.difference import Answer, Difference, Verdict
from samerun.judge.evidence import first_rows
from samerun.record import layout
from samerun.record.reader import RunRecord

ROW_PARTS = ("batch", "streams", "ambient")


@dataclass(frozen=True)
class Compared:
    """What a comparison found. `components` says of each: its verdict, steps compared, first step that differs."""

    verdict: Answer
    summary: str
    first_difference: Difference | None = None
    steps: int = 0
    components: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    facts: tuple[str, ...] = ()
    """Facts of the identity that are not the same on both sides, as `group.path`."""

    @property
    def is_same(self) -> bool:
        """Whether everything compared was equal and there was something to compare."""
        return self.verdict == "same"


def compare(a: RunRecord, b: RunRecord, *, count: int | None = None, bits_only: bool = False) -> Compared:
    """Compare two runs, or the first `count` steps of them.

    With `bits_only` the numbers alone decide: other settings with equal bits are `same`.
    """
    verdict = diff(a, b, until=count)
    answer = verdict.verdict
    if bits_only and verdict.first_difference is None and verdict.steps_compared:
        answer = "same"
    return Compared(
        answer,
        verdict.summary,
        verdict.first_difference,
        verdict.steps_compared,
        _components(a, b, verdict, count),
        tuple(f"{fact['group']}.{fact['path']}" for fact in verdict.sections["identity"]),
    )


def _components(a: RunRecord, b: RunRecord, verdict: Verdict, until: int | None) -> dict[str, dict[str, Any]]:
    counts = {"metrics": verdict.sections["metrics"]["rows_compared"], **_counts(a, b, until)}
    parted = _first_steps(verdict)
    return {
        name: {
            "verdict": "different" if name in parted else "same" if counts.get(name) else "cannot_say",
            "steps": counts.get(name, 0),
            "first_step": parted.get(name),
        }
        for name in dict.fromkeys([*counts, *parted])
    }


def _counts(a: RunRecord, b: RunRecord, until: int | None) -> dict[str, int]:
    """Count the rows in which both sides hold a digest of a component, whether equal or not."""
    counts = dict.fromkeys(ROW_PARTS, 0)
    for one, other in zip(*(first_rows(side, layout.TRAIL, until) for side in (a, b)), strict=False):
        row = json.loads(one)
        twin = row if one == other else json.loads(other)
        for part in ROW_PARTS:
            counts[part] += row[part] is not None and twin[part] is not None
        for name in row["state"] or {}:
            counts[name] = counts.get(name, 0) + (name in (twin["state"] or {}) and row["kind"] == twin["kind"])
    return {name: count for name, count in counts.items() if count or name not in ROW_PARTS}


def _first_steps(verdict: Verdict) -> dict[str, int]:
    """Return the first step at which each component differs."""
    found = [(part["component"], part["step"]) for part in verdict.sections["trail"]["first"]]
    found += [("metrics", part["first_step"]) for part in verdict.sections["metrics"]["columns"].values()]
    first = verdict.first_difference
    if first is not None:
        found.append((first.component or "rows", first.step))
    steps: dict[str, int] = {}
    for component, step in found:
        name = "metrics" if component == "loss" else str(component)
        steps[name] = min(step, steps.get(name, step))
    return steps
