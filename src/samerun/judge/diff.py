"""What differs between two run records, and what differed first. Streams both logs; never trains, never reads a tensor.

Each section is compared in a file of its own; here they become one answer. Whether files are whole is integrity.py's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from samerun.checkpoint.store import digested_steps, leaf_digests
from samerun.judge import documents
from samerun.judge.difference import Answer, Difference, Verdict
from samerun.judge.leaves import LeafComparison, compare_leaves
from samerun.judge.metrics import MetricsComparison, compare_metrics
from samerun.judge.order import telling_order
from samerun.judge.promise import promise_notes, promise_of
from samerun.judge.trail import TrailComparison, compare_trails
from samerun.judge.walk import Walked
from samerun.record import layout
from samerun.record.identity import Moved, moved
from samerun.record.reader import RunRecord

_DOCUMENTS = {"environment": layout.ENVIRONMENT, "data": layout.DATA}


@dataclass(frozen=True)
class _Evidence:
    """Everything that was compared, before it becomes an answer."""

    moved: Sequence[Moved]
    metrics: MetricsComparison
    trail: TrailComparison
    leaves: LeafComparison
    is_fork: bool

    @property
    def walked(self) -> Walked:
        """The walk that saw more rows: a record may hold metrics and no trail."""
        assert self.trail.walked is not None and self.metrics.walked is not None
        return max(self.trail.walked, self.metrics.walked, key=lambda walked: walked.a.count + walked.b.count)


def diff(a: RunRecord | Path | str, b: RunRecord | Path | str) -> Verdict:
    """Compare two run records (or their folders) and name the first thing that differs.

    `same`: every row, draw and digest that both sides hold is equal, neither goes further than the other, and no
    setting that decides the experiment differs. Clock columns never count; a digest that one side did not compute is
    left out and noted. Two records without a single row in common to compare are `cannot_say`. Another source or
    platform with equal bits is `same` and said in the summary. Raises DamageError for a record that is not whole.
    """
    left, right = (one if isinstance(one, RunRecord) else RunRecord.open(Path(one)) for one in (a, b))
    evidence = _gather(left, right)
    differences = sorted(_all_differences(evidence), key=telling_order(left, right))
    first = _with_leaf(differences[0], evidence) if differences else None
    answer = _answer(evidence, first)
    return Verdict(
        answer,
        _summary(answer, evidence, differences, first),
        _sections(left, right, evidence),
        first,
        evidence.walked.compared,
        (*_notes(evidence), *_side_notes("a", left), *_side_notes("b", right)),
        {"a": promise_of(left.manifest), "b": promise_of(right.manifest)},
    )


def _gather(a: RunRecord, b: RunRecord) -> _Evidence:
    metrics = compare_metrics(
        a.bodies(layout.METRICS), b.bodies(layout.METRICS), evaluation_may_lack=_has_other_cadence(a, b)
    )
    renamed = metrics.structural_steps - metrics.value_steps
    trail = compare_trails(a.bodies(layout.TRAIL), b.bodies(layout.TRAIL), renamed_steps=renamed)
    leaves = _compare_checkpoints(a, b)
    is_fork = (a.manifest.parent is None) != (b.manifest.parent is None)
    return _Evidence(moved(a.identity, b.identity), metrics, trail, leaves, is_fork)


def _compare_checkpoints(a: RunRecord, b: RunRecord) -> LeafComparison:
    left, right = a.folder / layout.CHECKPOINTS, b.folder / layout.CHECKPOINTS
    common = sorted({*digested_steps(left)} & {*digested_steps(right)})
    return compare_leaves(common, partial(leaf_digests, left), partial(leaf_digests, right))


def _has_other_cadence(a: RunRecord, b: RunRecord) -> bool:
    """Whether evaluation comes at other steps and nothing reads it, so that its columns may be lacking."""
    moved_paths = [path for path, _, _ in documents.differences(a.config.values, b.config.values)]
    return any(
        path.startswith("evaluate.") and path in a.config.asides and path in b.config.asides for path in moved_paths
    )


def _all_differences(evidence: _Evidence) -> Iterator[Difference]:
    yield from evidence.trail.differences()
    yield from evidence.metrics.differences()
    yield from evidence.leaves.differences
    state = evidence.metrics.first_state
    if state is not None and not evidence.trail.found:
        yield Difference(state[0], "value", "state", None, state[1], state[2])
    extent = _other_extent(evidence)
    if extent is not None:
        yield extent


def _other_extent(evidence: _Evidence) -> Difference | None:
    """The first step that only one side reaches, or that only one side starts at (a fork starts later by right)."""
    one, other = evidence.walked.a, evidence.walked.b
    if one.first is None or other.first is None or one.last is None or other.last is None:
        return None
    if one.first != other.first and not evidence.is_fork:
        step, a_has_it = min(one.first, other.first), one.first < other.first
    elif one.last != other.last:
        step, a_has_it = min(one.last, other.last) + 1, one.last > other.last
    else:
        return None
    return Difference(step, "structure", None, None, "a row" if a_has_it else None, None if a_has_it else "a row")


def _with_leaf(first: Difference, evidence: _Evidence) -> Difference:
    """Name the metric behind a digest of logged numbers, and the tensor behind a digest of a component."""
    if first.leaf is not None:
        return first
    if first.component == "loss" and first.kind == "value":
        for column, drift in evidence.metrics.columns.items():
            if drift.step == first.step:
                return replace(first, leaf=column, a=drift.a, b=drift.b)
    leaf = evidence.leaves.leaf_of(first.component) if first.component is not None else None
    if leaf is None or leaf.leaf is None:
        return first
    is_same_row = leaf.seen_at == first.step + 1
    return replace(first, leaf=leaf.leaf, a=leaf.a, b=leaf.b, seen_at=None if is_same_row else leaf.seen_at)


def _answer(evidence: _Evidence, first: Difference | None) -> Answer:
    if first is not None:
        return "different"
    if evidence.walked.compared == 0:
        return "cannot_say"
    return "different" if _other_settings(evidence) else "same"


def _other_settings(evidence: _Evidence) -> list[Moved]:
    """Facts that make it another experiment; another source or platform may still give the same bits."""
    return [fact for fact in evidence.moved if fact.drift_group is None]


def _summary(answer: Answer, evidence: _Evidence, differences: Sequence[Difference], first: Difference | None) -> str:
    experiment = _experiment(evidence)
    steps = evidence.walked.compared
    if answer == "cannot_say":
        return f"{experiment}; no step is recorded on both sides, so nothing can be compared"
    if first is None:
        return f"{experiment}; {steps} steps compared, every number, draw and digest of them is equal"
    value = next((found for found in differences if found.kind != "structure"), None)
    if value is None:
        return f"{experiment}; structural drift only: every value that both hold is equal over {steps} steps"
    return f"{experiment}; they part at step {value.step} of {steps} compared"


def _experiment(evidence: _Evidence) -> str:
    settings = _other_settings(evidence)
    if settings:
        names = ", ".join(fact.path for fact in settings[:3])
        return f"another experiment: {names}" + (f" and {len(settings) - 3} more" if len(settings) > 3 else "")
    groups = {fact.drift_group for fact in evidence.moved}
    if not groups:
        return "same experiment, same platform"
    if "source" not in groups:
        return "same experiment, other platform"
    return "same settings, other source" + (", other platform" if len(groups) > 1 else "")


def _sections(a: RunRecord, b: RunRecord, evidence: _Evidence) -> Mapping[str, Any]:
    config_a, config_b = a.config, b.config
    return {
        "identity": [
            {"group": fact.group, "path": fact.path, "kind": fact.kind, "a": fact.old, "b": fact.new}
            for fact in evidence.moved
        ],
        "config": documents.config_rows(config_a.values, config_b.values, config_a.origins, config_b.origins),
        "source": documents.source_rows(_document(a, layout.SOURCE), _document(b, layout.SOURCE)),
        **{name: documents.rows(_document(a, file), _document(b, file)) for name, file in _DOCUMENTS.items()},
        "streams": evidence.trail.streams_json(),
        "metrics": evidence.metrics.as_json(),
        "trail": evidence.trail.as_json(),
        "checkpoints": evidence.leaves.as_json(),
    }


def _document(record: RunRecord, file: str) -> Mapping[str, Any]:
    # A run of grade "external" or "observed" has not all of them; that a full run lacks one is integrity.py's to say.
    return record.document(file) if record.has(file) else {}


def _notes(evidence: _Evidence) -> Iterator[str]:
    if evidence.trail.states_not_compared:
        yield f"{evidence.trail.states_not_compared} rows hold no state digest that both sides computed alike"
    lacking = evidence.metrics.lacking()
    if lacking:
        yield f"left out, since the two evaluate at other steps: {', '.join(lacking)}"
    if evidence.is_fork:
        yield "one side is a fork: it begins at the step where it left its parent"


def _side_notes(side: str, record: RunRecord) -> Iterator[str]:
    yield from promise_notes(side, record.manifest)
    if record.is_live:
        yield f"{side} is being written: it was compared as far as it goes"
