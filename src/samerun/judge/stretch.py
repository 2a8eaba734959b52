"""A stretch of a run made again, compared with the rows that were recorded: metrics and trail, step by step.

The two logs are cut to the steps that were asked for; everything else about comparing rows is metrics.py's and
trail.py's. Needs no torch.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from samerun.checkpoint.store import latest
from samerun.judge.difference import Answer, Difference
from samerun.judge.leaves import LeafComparison
from samerun.judge.metrics import compare_metrics
from samerun.judge.ranking import Ranking
from samerun.judge.roles import tracked_places
from samerun.judge.trail import compare_trails
from samerun.record import layout
from samerun.record.reader import RunRecord

PARTS: Final = ("batch", "streams", "ambient", "metrics", "state")


@dataclass(frozen=True)
class StretchComparison:
    """What was compared over a stretch, and the first difference."""

    steps: tuple[int, ...]
    """Steps whose rows stand on both sides."""
    parts: tuple[str, ...]
    """What was compared: batch, streams, ambient, metrics, and the state where both sides digested it at every step."""
    not_compared: tuple[str, ...]
    """The rest: what a side did not record."""
    first: Difference | None

    @property
    def answer(self) -> Answer:
        """`same` only where rows were compared."""
        if self.first is not None:
            return "different"
        return "same" if self.steps else "cannot_say"


def compare_stretch(record: RunRecord, again: RunRecord, first: int, until: int) -> StretchComparison:
    """Compare the rows of the steps from `first` up to (not with) `until`."""
    metrics = compare_metrics(
        _bodies(record, layout.METRICS, first, until), _bodies(again, layout.METRICS, first, until)
    )
    renamed = metrics.structural_steps - metrics.value_steps
    trail = compare_trails(
        _bodies(record, layout.TRAIL, first, until), _bodies(again, layout.TRAIL, first, until), renamed_steps=renamed
    )
    assert trail.walked is not None
    ranking = Ranking(metrics, _leaves(record), {}, tracked_places(record))
    found = ranking.ranked([*trail.differences(), *metrics.differences()])
    steps = range(first, first + trail.walked.compared)
    lacking = tuple(_lacking(record, again, first, until))
    parts = tuple(part for part in PARTS if part not in lacking)
    return StretchComparison(tuple(steps), parts, lacking, found[0] if found else _extent(steps, until))


def _bodies(record: RunRecord, name: str, first: int, until: int) -> Iterator[bytes]:
    """Give the rows of a log that belong to the stretch; the whole log is verified on the way."""
    for body in record.bodies(name):
        if first <= json.loads(body)["step"] < until:
            yield body


def _lacking(record: RunRecord, again: RunRecord, first: int, until: int) -> Iterator[str]:
    sides = [[json.loads(body) for body in _bodies(one, layout.TRAIL, first, until)] for one in (record, again)]
    rows = [row for side in sides for row in side]
    if any(row["state"] is None for row in rows) or len({row["kind"] for row in rows}) > 1:
        yield "state"
    if all(row["batch"] is None for row in rows):
        yield "batch"


def _extent(steps: range, until: int) -> Difference | None:
    if len(steps) and steps[-1] + 1 < until:
        return Difference(steps[-1] + 1, "structure", None, None, "a row", None)
    return None


def _leaves(record: RunRecord) -> LeafComparison:
    """Give the names of the leaves, which tell what a component is; none is compared."""
    newest = latest(record.folder / layout.CHECKPOINTS)
    return LeafComparison(names={} if newest is None else {name: tuple(of) for name, of in newest.leaf_digests.items()})
