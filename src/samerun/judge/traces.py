"""The answer of `diff` for two trace files, from any two machines. Which operation differs: operations.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from samerun.judge import documents
from samerun.judge.difference import Difference, Kind, Verdict
from samerun.judge.operations import OperationsComparison, compare_operations
from samerun.record.trace import Trace


def diff_traces(a: Path, b: Path) -> Verdict:
    """Compare two trace files and name the first operation that differs.

    `same`: every operation, digest and state of both is equal. `cannot_say` for traces of different steps, empty ones,
    or tensors that could not be digested. Raises NoMatchError for a file that is not there, DamageError for one that is
    no whole trace.
    """
    left, right = Trace.read(a), Trace.read(b)
    if left.step != right.step:
        summary = f"one is step {left.step}, the other step {right.step}: they are not the same piece of work"
        return Verdict("cannot_say", summary, _sections(left, right, None))
    found = compare_operations(left, right)
    notes = tuple(_notes(left, right, found))
    first = trace_difference(left, right, found)
    if first is not None:
        place = str(found.first) if first.op is not None else str(first)
        return Verdict("different", place, _sections(left, right, found), first, 0, notes)
    if found.answer == "cannot_say":
        what = "no operation is recorded on both sides" if found.compared == 0 else "some tensors could not be digested"
        return Verdict("cannot_say", what, _sections(left, right, found), None, 0, notes)
    summary = f"{found.compared} operations of step {left.step} compared, every input, output and the state are equal"
    return Verdict("same", summary, _sections(left, right, found), None, 1, notes)


def trace_difference(a: Trace, b: Trace, found: OperationsComparison) -> Difference | None:
    """Return the first difference of two traces: a state that differs before, an operation, or a state after.

    What differs before the first operation comes first; the operation then shows what follows from it.
    """
    before = changed_components(a.before, b.before)
    if before:
        op = None if found.first is None else found.first.as_json()
        return Difference(a.step, "value", before[0], None, a.before.get(before[0]), b.before.get(before[0]), op=op)
    if found.first is not None:
        subject = found.first.subject
        component, _, leaf = (subject or "").partition(".")
        kind: Kind = "structure" if found.first.why in ("appears", "vanishes", "other", "shape") else "value"
        return Difference(a.step, kind, component or None, leaf or None, op=found.first.as_json())
    after = changed_components(a.after, b.after)
    if after:
        return Difference(a.step, "value", after[0], None, a.after.get(after[0]), b.after.get(after[0]))
    return None


def changed_components(a: Mapping[str, str], b: Mapping[str, str]) -> list[str]:
    """List the components whose digests differ, or that only one side has."""
    return [name for name in sorted(a.keys() | b.keys()) if a.get(name) != b.get(name)]


def operations_json(a: Trace, b: Trace, found: OperationsComparison) -> dict[str, Any]:
    """Give the section `operations`."""
    return {
        "step": a.step,
        "compared": found.compared,
        "not_digested": found.not_digested,
        "first": None if found.first is None else found.first.as_json(),
        "state_before": changed_components(a.before, b.before),
        "state_after": changed_components(a.after, b.after),
    }


def _sections(a: Trace, b: Trace, found: OperationsComparison | None) -> Mapping[str, Any]:
    return {
        "platform": documents.rows(a.platform, b.platform),
        "operations": {} if found is None else operations_json(a, b, found),
    }


def _notes(a: Trace, b: Trace, found: OperationsComparison) -> Iterator[str]:
    if a.identity != b.identity:
        yield f"the runs are not one experiment on one platform: identity {a.identity} and {b.identity}"
    before = changed_components(a.before, b.before)
    if before:
        yield f"the states before the step differ already: {', '.join(before)}"
    if documents.rows(a.platform, b.platform):
        yield "they come from other platforms, where other operations may stand for the same computation"
    if found.not_digested:
        yield f"{found.not_digested} tensors could not be digested: nothing is known of them"
