"""Everything that two records hold about each other, gathered before any answer: facts, rows, checkpoints.

Streams both logs and reads no tensor. What it means is decided in diff.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from samerun.checkpoint.store import digested_steps, leaf_digests
from samerun.judge import documents
from samerun.judge.difference import Difference
from samerun.judge.integrity import check_documents
from samerun.judge.leaves import LeafComparison, compare_leaves
from samerun.judge.metrics import MetricsComparison, compare_metrics
from samerun.judge.roles import newest_extra, tracked_places
from samerun.judge.trail import TrailComparison, compare_trails
from samerun.judge.walk import Walked
from samerun.record import layout
from samerun.record.identity import Moved, moved
from samerun.record.reader import RunRecord


@dataclass(frozen=True)
class Evidence:
    """Everything that was compared, before it becomes an answer."""

    moved: Sequence[Moved]
    metrics: MetricsComparison
    trail: TrailComparison
    leaves: LeafComparison
    is_fork: bool
    final: tuple[int, str, str] | None
    """Step and both state digests at the end, where both manifests hold one of the same step."""
    lone_checkpoints: tuple[int, int]
    """How many checkpoints each side holds whose step the other has none of."""
    parameters: Mapping[str, Sequence[str | None]]
    """Optimizer -> the parameter behind each number of its state, where both sides name them alike."""
    places: Mapping[str, int]
    """The order in which the loop tracks its objects, as a checkpoint of either side has it."""

    @property
    def walked(self) -> Walked:
        """The walk along the trail; that along the metrics where the trail falls short of it by more than a row."""
        trail, metrics = self.trail.walked, self.metrics.walked
        assert trail is not None and metrics is not None
        behind = max(metrics.a.count - trail.a.count, metrics.b.count - trail.b.count)
        return trail if behind <= 1 and trail.compared else metrics

    def differences(self) -> Iterator[Difference]:
        """Yield everything that differs, in no order."""
        yield from self.trail.differences()
        yield from self.metrics.differences()
        yield from self.leaves.differences
        yield from self.leaves.later
        state = self.metrics.first_state
        if state is not None and not self.trail.found:
            yield Difference(state[0], "value", "state", None, state[1], state[2])
        if self.final is not None and self.final[1] != self.final[2] and not self.trail.found:
            step, a, b = self.final
            yield Difference(max(step - 1, 0), "value", "state", None, a, b)
        extent = self._other_extent()
        if extent is not None:
            yield extent

    def _other_extent(self) -> Difference | None:
        """The first step that only one side reaches, or that only one side starts at (a fork starts later by right)."""
        one, other = self.walked.a, self.walked.b
        if one.first is None or other.first is None or one.last is None or other.last is None:
            return None
        if one.first != other.first and not self.is_fork:
            step, a_has_it = min(one.first, other.first), one.first < other.first
        elif one.last != other.last:
            step, a_has_it = min(one.last, other.last) + 1, one.last > other.last
        else:
            return None
        return Difference(step, "structure", None, None, "a row" if a_has_it else None, None if a_has_it else "a row")

    @property
    def last_equal_state(self) -> int | None:
        """The last step after which the state is known to be equal, from the trail or a checkpoint; None for none."""
        seen = [step - 1 for step in self.leaves.steps if step != self.leaves.first_unequal]
        trail = self.trail.states.last_equal
        return max([*seen, *([] if trail is None else [trail])], default=None)

    @property
    def num_states(self) -> int:
        """How many times the whole state of both sides was compared: in trail rows, checkpoints after 0, at the end."""
        return self.trail.states.compared + sum(step > 0 for step in self.leaves.steps) + (self.final is not None)


def gather(a: RunRecord, b: RunRecord, until: int | None = None) -> Evidence:
    """Compare all that two records hold, or hold of their first `until` steps. Raises DamageError for a damaged one."""
    for record in (a, b):
        check_documents(record)
    metrics = compare_metrics(
        *(first_rows(one, layout.METRICS, until) for one in (a, b)), evaluation_may_lack=_has_other_cadence(a, b)
    )
    renamed = metrics.structural_steps - metrics.value_steps
    trail = compare_trails(*(first_rows(one, layout.TRAIL, until) for one in (a, b)), renamed_steps=renamed)
    is_fork = (a.manifest.parent is None) != (b.manifest.parent is None)
    left, right = a.folder / layout.CHECKPOINTS, b.folder / layout.CHECKPOINTS
    steps = tuple({step for step in digested_steps(one) if until is None or step <= until} for one in (left, right))
    common = sorted(steps[0] & steps[1])
    return Evidence(
        moved=moved(a.identity, b.identity),
        metrics=metrics,
        trail=trail,
        leaves=compare_leaves(common, partial(leaf_digests, left), partial(leaf_digests, right)),
        is_fork=is_fork,
        final=_final(a, b, until),
        lone_checkpoints=(len(steps[0] - steps[1]), len(steps[1] - steps[0])),
        parameters=_parameters(a, b),
        places=tracked_places(a) or tracked_places(b),
    )


def first_rows(record: RunRecord, log: str, until: int | None) -> Iterator[bytes]:
    """Yield the rows of a log, or those of the first `until` steps."""
    return islice(record.bodies(log), until)


def _has_other_cadence(a: RunRecord, b: RunRecord) -> bool:
    """Whether evaluation comes at other steps and nothing reads it, so that its columns may be lacking."""
    moved_paths = [path for path, _, _ in documents.differences(a.config.values, b.config.values)]
    return any(
        path.startswith("evaluate.") and path in a.config.asides and path in b.config.asides for path in moved_paths
    )


def _final(a: RunRecord, b: RunRecord, until: int | None) -> tuple[int, str, str] | None:
    one, other = a.manifest, b.manifest
    if until is not None and one.step > until:
        return None
    if one.state_digest is None or other.state_digest is None or one.step != other.step or one.step == 0:
        return None
    return one.step, one.state_digest, other.state_digest


def _parameters(a: RunRecord, b: RunRecord) -> Mapping[str, Sequence[str | None]]:
    one, other = _names(a), _names(b)
    return {name: slots for name, slots in one.items() if other.get(name) == slots}


def _names(record: RunRecord) -> dict[str, Any]:
    found = newest_extra(record).get("parameters")
    return found if isinstance(found, dict) else {}
