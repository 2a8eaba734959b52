"""`diff --deep`: make the step at which two runs part again on both sides, and name the operation that differs first.

Each side runs in a fresh process, with its own code, from its own nearest checkpoint. What differs in the records is
judge/diff.py's to say, which operation judge/operations.py's; here the two are brought together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from samerun.errors import SamerunError
from samerun.judge.diff import diff
from samerun.judge.difference import Difference, Verdict
from samerun.judge.operations import OperationsComparison, compare_operations
from samerun.judge.stretch import compare_stretch
from samerun.judge.traces import changed_components, operations_json, trace_difference
from samerun.record.reader import RunRecord
from samerun.record.trace import Trace
from samerun.rerun.redo import Redone, Remaking, remaking
from samerun.rerun.scratch import common_checkpoint, nearest_checkpoint
from samerun.rerun.workplace import Say, workplace

SETTINGS = "param_groups/"
"""Leaves of an optimizer that a step can be made with on both sides, although they differ before step 0."""
TRIES = 5
"""How often a step is made again at most, to catch one that does not repeat itself."""


@dataclass(frozen=True)
class Side:
    """One side of the guilty step, made again."""

    remaking: Remaking
    redone: Redone
    trace: Trace
    is_as_recorded: bool
    """Whether the step gave what its record says."""

    def as_json(self) -> dict[str, Any]:
        """Give what is known of it."""
        return {
            "from_checkpoint": self.redone.begun,
            "steps_repeated": self.trace.step - self.redone.begun,
            "is_as_recorded": self.is_as_recorded,
        }


@dataclass(frozen=True)
class Located:
    """What making the step again showed: of both sides, or of one side twice, where `suspect` names it."""

    a: Side
    b: Side
    found: OperationsComparison
    tries: int
    """How often a side was made again beyond the first time."""
    difference: Difference | None
    suspect: Literal["a", "b"] | None = None
    """The side that differs from itself; `a` and `b` are then two makings of it."""


def diff_deep(
    a: RunRecord, b: RunRecord, *, trust: bool = False, tries: int = TRIES, say: Say = lambda text: None
) -> Verdict:
    """Compare two records as `diff` does, then make the first differing step again on both sides.

    `first_difference.op` is the first operation whose inputs agree and whose output differs, or that only one side
    runs; the section `operations` and the notes say what was made again, from where, and whether each side gave what it
    had recorded. Where a side cannot be made again (its code, platform or checkpoint is not here) the answer is that of
    `diff`, with a note that says why no operation is named.
    """
    verdict = diff(a, b)
    first = verdict.first_difference
    if first is None:
        return verdict
    if first.seen_at == 0 and not (first.leaf or "").startswith(SETTINGS):
        return _with_note(verdict, "no operation is named: the states differ before step 0, as they were set up")
    try:
        with workplace(a.folder.parent, "deep") as folder:
            sides = remaking(a, folder / "a", trust=trust), remaking(b, folder / "b", trust=trust)
            located = _locate(*sides, first.step, tries, say)
    except SamerunError as problem:
        reason = f"{problem.code}: {problem.what}" + (f" ({problem.evidence[0]})" if problem.evidence else "")
        return _with_note(verdict, f"no operation is named: {reason}; {problem.do}")
    return _combined(verdict, first, located)


def _locate(a: Remaking, b: Remaking, step: int, tries: int, say: Say) -> Located:
    say(f"making step {step} again on both sides, recording its operations")
    left, right = _sides(a, b, step)
    begun = max(left.redone.begun, right.redone.begun)
    between = compare_stretch(left.redone.record, right.redone.record, begun, step + 1) if begun < step else None
    if between is not None and between.first is not None and between.first.step < step:
        # A thinned trail did not show it: the state parted at an earlier step than its first recorded digest.
        step = between.first.step
        say(f"they part at step {step} already: making that one again")
        left, right = _sides(a, b, step)
    found = compare_operations(left.trace, right.trace)
    difference = trace_difference(left.trace, right.trace, found)
    if difference is not None:
        return Located(left, right, found, 0, difference)
    return _repeated(left, right, found, tries, say)


def _sides(a: Remaking, b: Remaking, step: int) -> tuple[Side, Side]:
    """Make the step again on both sides, from one checkpoint where they can.

    What a process does once, such as the order of an epoch, then comes in the same step on both sides.
    """
    begin = common_checkpoint(a.record, b.record, step)
    return _as_recorded(_side(a, step, begin), step), _as_recorded(_side(b, step, begin), step)


def _as_recorded(side: Side, step: int) -> Side:
    """Begin at the side's own nearest checkpoint where only that gives what was recorded.

    Then something happened in between that is in no record, such as a restart with half of the state.
    """
    nearest = nearest_checkpoint(side.remaking.record, step)
    if side.is_as_recorded or side.redone.begun == nearest:
        return side
    again = _side(side.remaking, step, nearest)
    return again if again.is_as_recorded else side


def _side(side: Remaking, step: int, begin: int | None, number: int = 0) -> Side:
    redone = side.steps(step, step + 1, trace_step=step, number=number, begin=begin)
    assert redone.trace is not None
    again = compare_stretch(side.record, redone.record, step, step + 1)
    return Side(side, redone, Trace.read(redone.trace), again.answer == "same")


def _repeated(left: Side, right: Side, found: OperationsComparison, tries: int, say: Say) -> Located:
    """Make a step that came out the same on both sides again and again, until it differs from itself or tries end."""
    name: Literal["a", "b"] = "b" if left.is_as_recorded else "a"
    suspect = right if name == "b" else left
    for number in range(1, tries + 1):
        say(f"both sides gave the same: making step {suspect.trace.step} again, {number} of {tries}")
        again = _side(suspect.remaking, suspect.trace.step, suspect.redone.begun, number)
        repeated = compare_operations(suspect.trace, again.trace)
        difference = trace_difference(suspect.trace, again.trace, repeated)
        if difference is not None:
            return Located(suspect, again, repeated, number, difference, name)
    return Located(left, right, found, tries, None)


def _combined(verdict: Verdict, first: Difference, located: Located) -> Verdict:
    sections = {
        **verdict.sections,
        "operations": {
            **operations_json(located.a.trace, located.b.trace, located.found),
            "tries": located.tries,
            "suspect": located.suspect,
            "a": located.a.as_json(),
            "b": located.b.as_json(),
        },
    }
    step = located.a.trace.step
    operation = located.difference.op if located.difference is not None else None
    before = _before(located)
    is_told = step == first.step and (not before or first.component in before)
    merged = replace(first, op=operation) if is_told else located.difference or first
    return replace(verdict, sections=sections, first_difference=merged, notes=(*verdict.notes, *_notes(located)))


def _notes(located: Located) -> Iterator[str]:
    step, begun = located.a.trace.step, (located.a.redone.begun, located.b.redone.begun)
    if located.suspect is None:
        yield f"step {step} was made again on both sides, from checkpoint {begun[0]} and {begun[1]}"
    else:
        yield f"step {step} was made again on both sides, on side {located.suspect} from checkpoint {begun[0]}"
        yield f"side {located.suspect} against itself: in try {located.tries} the same step came out different"
    before = _before(located)
    if before:
        how = "they parted between the steps" if step else "they were set up so"
        yield f"the states before step {step} differ already, in {', '.join(before)}: {how}"
    elif located.found.first is not None:
        pass  # the first difference says it
    elif located.difference is not None:
        yield f"every operation is equal, and {located.difference.component} is not: it was changed outside of torch"
    else:
        yield from _unlocated(located, step)
    makings = ((located.suspect or "a", located.a), (located.suspect or "b", located.b))
    for name in sorted({name for name, side in makings if not side.is_as_recorded}):
        yield f"side {name} did not give what it had recorded: something that decides it is not in its record"
    if located.found.not_digested:
        yield f"{located.found.not_digested} tensors could not be digested: nothing is known of them"


def _before(located: Located) -> list[str]:
    """List the components that differ before the step."""
    return changed_components(located.a.trace.before, located.b.trace.before)


def _unlocated(located: Located, step: int) -> Iterator[str]:
    is_same_again = located.a.is_as_recorded and located.b.is_as_recorded
    if is_same_again:
        yield "every operation and the state after it are equal: only what was logged or counted differs"
        return
    yield f"both sides give the same now; step {step} did not differ from itself in {located.tries} further tries"


def _with_note(verdict: Verdict, note: str) -> Verdict:
    return replace(verdict, notes=(*verdict.notes, note))
