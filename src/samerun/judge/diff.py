"""What differs between two run records, what differed first, and why as far as the records tell. Never trains.

The parts are gathered in evidence.py and ordered in ranking.py; here they become one answer. Whether files are whole is
integrity.py's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from samerun.base.text import plural
from samerun.judge.cause import Circumstances, cause
from samerun.judge.difference import Answer, Difference, Verdict
from samerun.judge.evidence import Evidence, gather
from samerun.judge.promise import drift_notes, promise_notes, promise_of
from samerun.judge.ranking import Ranking
from samerun.judge.sections import NOTHING, sections
from samerun.judge.suspects import beside, suspects
from samerun.record import layout
from samerun.record.identity import Moved
from samerun.record.manifest import SETTLED
from samerun.record.reader import RunRecord


def diff(a: RunRecord | Path | str, b: RunRecord | Path | str, *, until: int | None = None) -> Verdict:
    """Compare two run records (or their folders) and name the first thing that differs.

    `same`: every row, draw and digest that both sides hold is equal, neither goes further than the other, and no
    setting that decides the experiment differs. Clock columns never count; a digest that one side did not compute is
    left out and noted. `cannot_say`: one folder given twice; no row in common; a trail that does not reach as far as
    its metrics; no state that both sides recorded. Another source or platform with equal bits is `same` and said in the
    summary. With `until` only the first so many steps of both count. Raises DamageError for a record that is not whole.
    """
    left, right = (one if isinstance(one, RunRecord) else RunRecord.open(Path(one)) for one in (a, b))
    if left.folder.resolve() == right.folder.resolve():
        summary = f"both are the same folder, {left.folder.name}: there is nothing to compare"
        return Verdict("cannot_say", summary, NOTHING)
    evidence = gather(left, right, until)
    parts = sections(left, right, evidence)
    ranking = Ranking(evidence.metrics, evidence.leaves, evidence.parameters, evidence.places)
    ranked = ranking.ranked(evidence.differences())
    first = ranked[0] if ranked else None
    doubt = _doubt(left, right, evidence)
    answer = _answer(evidence, first, doubt)
    return Verdict(
        answer,
        _summary(answer, evidence, ranked, doubt),
        parts,
        first,
        evidence.walked.compared,
        (*_notes(evidence, first), *_side_notes("a", left), *_side_notes("b", right)),
        {"a": promise_of(left.manifest), "b": promise_of(right.manifest)},
        None if answer == "cannot_say" else _cause(left, right, evidence, parts, ranked),
    )


def _cause(
    a: RunRecord, b: RunRecord, evidence: Evidence, parts: Mapping[str, Any], ranked: Sequence[Difference]
) -> str | None:
    asides = a.config.asides.keys() & b.config.asides.keys()
    resumed = tuple((side, step) for side, record in (("a", a), ("b", b)) for step in _resumed(record))
    known = Circumstances(evidence.walked.compared, tuple(beside(parts, asides, evidence.moved)), resumed)
    return cause(suspects(evidence.moved, parts, a.manifest, b.manifest), ranked, known)


def _answer(evidence: Evidence, first: Difference | None, doubt: str | None) -> Answer:
    if first is not None or (evidence.walked.compared and _other_settings(evidence)):
        return "different"
    return "same" if doubt is None else "cannot_say"


def _doubt(a: RunRecord, b: RunRecord, evidence: Evidence) -> str | None:
    """Say why equal rows do not make equal runs here; None where they do."""
    metrics, trail = evidence.metrics.walked, evidence.trail.walked
    assert metrics is not None and trail is not None
    if evidence.walked.compared == 0:
        return "no step is recorded on both sides, so nothing can be compared"
    for side, record, rows, of in (("a", a, trail.a, metrics.a), ("b", b, trail.b, metrics.b)):
        # A process that was killed, or is writing now, may be between the two rows of a step.
        if of.count - rows.count > (0 if record.manifest.status in SETTLED else 1):
            return f"the trail of {side} holds {rows.count} of {of.count} steps: of the others only numbers are known"
    if evidence.num_states == 0:
        return "no state is recorded on both sides: only what was logged could be compared, and that is equal"
    return None


def _other_settings(evidence: Evidence) -> list[Moved]:
    """Facts that make it another experiment; another source or platform may still give the same bits."""
    return [fact for fact in evidence.moved if fact.drift_group is None]


def _summary(answer: Answer, evidence: Evidence, ranked: Sequence[Difference], doubt: str | None) -> str:
    experiment = _experiment(evidence)
    steps = evidence.walked.compared
    if answer == "cannot_say":
        return f"{experiment}; {doubt}"
    if not ranked:
        return f"{experiment}; {steps} steps compared, every number, draw and digest of them is equal"
    value = next((found for found in ranked if found.kind != "structure"), None)
    if value is None:
        return f"{experiment}; structural drift only: every value that both hold is equal over {steps} steps"
    both = " (and some columns or rows are on one side only)" if any(one.kind == "structure" for one in ranked) else ""
    return f"{experiment}; they part at step {value.step} of {steps} compared{both}"


def _experiment(evidence: Evidence) -> str:
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


def _resumed(record: RunRecord) -> Iterator[int]:
    """Yield the steps at which processes went on with a run."""
    if record.manifest.attempt > 1:
        for event in record.events():
            if event.get("event") == "resume" and isinstance(event.get("step"), int):
                yield event["step"]


def _notes(evidence: Evidence, first: Difference | None) -> Iterator[str]:
    states = evidence.trail.states
    if states.not_compared:
        yield f"{states.not_compared} rows hold no state digest that both sides computed alike"
    if states.absent:
        yield f"{states.absent} rows hold no state digest on either side: the trail is thinned"
    if first is not None and first.kind == "value" and first.seen_at != 0:
        known = evidence.last_equal_state
        if known is None or known < first.step - 1:
            since = "the start" if known is None else f"step {known}"
            yield f"between {since} and step {first.step} no state was recorded: it may have parted earlier than shown"
    for side, other, count in zip("ab", "ba", evidence.lone_checkpoints, strict=True):
        if count:
            yield f"{side} holds {plural(count, 'checkpoint')} of which {other} has none: no leaves to compare there"
    lacking = evidence.metrics.lacking()
    if lacking:
        yield f"left out, since the two evaluate at other steps: {', '.join(lacking)}"
    if evidence.is_fork:
        yield "one side is a fork: it begins at the step where it left its parent"


def _side_notes(side: str, record: RunRecord) -> Iterator[str]:
    yield from promise_notes(side, record.manifest)
    yield from drift_notes(side, record)
    if record.is_live:
        yield f"{side} is being written: it was compared as far as it goes"
    elif record.manifest.step == 0 and record.has(layout.log_part_name(layout.METRICS, 0)):
        yield f"{side} has completed no step ({record.status})"
