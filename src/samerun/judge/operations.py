"""Two traces of a step: the first operation that is not the same, and why. Needs no torch.

The root cause is the first record, in execution order, whose inputs agree and whose output differs; a first record
whose inputs differ got them from outside of what was recorded. Recording is rerun/'s work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from samerun.judge.difference import Answer
from samerun.record.trace import GENERATOR, Operation, Trace

_Look = Callable[[Operation], object]
Why = Literal["output", "input", "generator", "arguments", "appears", "vanishes", "other", "shape"]
"""output: the inputs agree and the output does not. input: a tensor came in different from outside the operations.
generator: the generator it draws from stood elsewhere. arguments: called with other numbers. appears, vanishes: only b,
only a, runs it. other: the two sides go different ways here, also where each takes another tracked tensor. shape: more
or fewer tensors."""

_LOOK_AHEAD: Final = 500
_MATCH: Final = 3
"""Records that must agree after a gap before it counts as one that appears or vanishes."""


@dataclass(frozen=True)
class GuiltyOperation:
    """The first record that is not the same on both sides."""

    index: int
    why: Why
    a: Operation | None
    b: Operation | None
    place: int | None = None
    """Which input or output differs."""

    @property
    def operation(self) -> Operation:
        """The record as the side that has it recorded it (side b where both have)."""
        found = self.b or self.a
        assert found is not None
        return found

    def as_json(self) -> dict[str, Any]:
        """Give it as it stands in `first_difference.op`."""
        one = self.operation
        return {
            "index": self.index,
            "name": one.name,
            "module": one.module,
            "source": one.source,
            "phase": one.phase,
            "why": self.why,
            "reason": self._reason(),
            "subject": self.subject,
            "a": self._side(self.a),
            "b": self._side(self.b),
        }

    @property
    def subject(self) -> str | None:
        """The tracked tensor that came in different, where it is one."""
        if self.why not in ("input", "generator") or self.place is None:
            return None
        subjects = self.operation.subjects
        return subjects[self.place] if self.place < len(subjects) else None

    def _side(self, side: Operation | None) -> str | None:
        if side is None:
            return None
        if self.why in ("arguments", "other", "appears", "vanishes"):
            taken = "" if self.place is None else f" of {side.subjects[self.place]}"
            return f"{side.name}{side.arguments}{taken}"
        digests = side.outputs if self.why == "output" else side.inputs
        return digests[self.place] if self.place is not None and self.place < len(digests) else None

    def __str__(self) -> str:
        one = self.operation
        where = "".join(
            [f" in {one.module}" if one.module else "", f" ({one.phase})", f" at {one.source}" if one.source else ""]
        )
        return f"operation {self.index}, {one.name}{where}: {self._reason()}"

    def _reason(self) -> str:
        match self.why:
            case "output":
                return "its inputs agree and its output does not"
            case "generator":
                return "the generator that it draws from stands elsewhere: something drew before it"
            case "input":
                what = self.subject or f"input {self.place}"
                return f"{what} comes in different, and no recorded operation made it so"
            case "arguments":
                return f"called with other values: {self._side(self.a)} | {self._side(self.b)}"
            case "appears":
                return "it runs on side b only"
            case "vanishes":
                return "it runs on side a only"
            case "shape":
                return "it takes or gives another number of tensors"
        return f"the two sides go different ways: {self._side(self.a)} | {self._side(self.b)}"


@dataclass(frozen=True)
class OperationsComparison:
    """What a walk over two traces found."""

    compared: int
    """Records that stand on both sides before the first difference, or all."""
    first: GuiltyOperation | None
    not_digested: int
    """Tensors among those compared that neither side could digest: nothing is known of them."""

    @property
    def answer(self) -> Answer:
        """`same` only where something was compared, and all of it could be."""
        if self.first is not None:
            return "different"
        return "cannot_say" if self.compared == 0 or self.not_digested else "same"


def compare_operations(a: Trace, b: Trace) -> OperationsComparison:
    """Compare two traces record by record, in execution order."""
    blind = 0
    for index, (one, other) in enumerate(zip(a.operations, b.operations, strict=False)):
        found = _compare(index, one, other, a.operations, b.operations)
        if found is not None:
            return OperationsComparison(index, found, blind)
        blind += [*one.inputs, *one.outputs].count(None)
    compared = min(len(a.operations), len(b.operations))
    if len(a.operations) != len(b.operations):
        longer = a.operations if len(a.operations) > compared else b.operations
        extra = longer[compared]
        first = (
            GuiltyOperation(compared, "vanishes", extra, None)
            if longer is a.operations
            else GuiltyOperation(compared, "appears", None, extra)
        )
        return OperationsComparison(compared, first, blind)
    return OperationsComparison(compared, None, blind)


def _compare(
    index: int, a: Operation, b: Operation, all_a: Sequence[Operation], all_b: Sequence[Operation]
) -> GuiltyOperation | None:
    if a == b:
        return None
    if _bits(a) == _bits(b):
        return None  # another module, line or thread with equal bits all through is no difference of the numbers
    if (a.name, a.inputs, a.arguments) != (b.name, b.inputs, b.arguments):
        put_in = _inserted(index, all_a, all_b, _bits)
        if put_in is not None and not _is_moved(put_in, all_a, all_b):
            return put_in
    if a.name != b.name or a.phase != b.phase:
        return _other_way(index, all_a, all_b)
    if len(a.inputs) != len(b.inputs) or len(a.outputs) != len(b.outputs):
        return _other_way(index, all_a, all_b, "shape")
    inputs = _unequal(a.inputs, b.inputs)
    tensors = [place for place in inputs if a.subjects[place] != GENERATOR]
    if tensors:
        return _other_tensor(index, tensors[0], all_a, all_b)
    if a.arguments != b.arguments:
        return GuiltyOperation(index, "arguments", a, b)
    if inputs:
        return GuiltyOperation(index, "generator", a, b, inputs[0])
    return GuiltyOperation(index, "output", a, b, _unequal(a.outputs, b.outputs)[0])


def _other_tensor(index: int, place: int, all_a: Sequence[Operation], all_b: Sequence[Operation]) -> GuiltyOperation:
    """Say whether one tensor came in different, or whether these are two calls, each with a tensor of its own."""
    a, b = all_a[index], all_b[index]
    taken = a.subjects[place], b.subjects[place]
    known = {digest for one in all_a[:index] for digest in (*one.inputs, *one.outputs)}
    is_another = taken[0] != taken[1] or known >= {a.inputs[place], b.inputs[place]}
    if is_another or a.module != b.module:
        put_in = _inserted(index, all_a, all_b, _call)
        if put_in is not None and not _is_moved(put_in, all_a, all_b):
            return put_in
    why: Why = "other" if None not in taken and taken[0] != taken[1] else "input"
    return GuiltyOperation(index, why, a, b, place)


def _is_moved(put_in: GuiltyOperation, a: Sequence[Operation], b: Sequence[Operation]) -> bool:
    """Whether both sides make this call on this tensor as often: then one makes it elsewhere, and it was not put in."""
    one = put_in.b or put_in.a
    assert one is not None
    made = [sum((_call(other), other.subjects) == (_call(one), one.subjects) for other in side) for side in (a, b)]
    return made[0] == made[1]


def _unequal(a: Sequence[str | None], b: Sequence[str | None]) -> list[int]:
    return [place for place, (one, other) in enumerate(zip(a, b, strict=True)) if one != other]


def _other_way(index: int, a: Sequence[Operation], b: Sequence[Operation], why: Why = "other") -> GuiltyOperation:
    """Say whether a record was put in, or left out, or whether the sides go different ways from here."""
    if _all(_call, a[index + 1 :]) == _all(_call, b[index + 1 :]):
        return GuiltyOperation(index, why, a[index], b[index])  # one in place of the other
    return _inserted(index, a, b, _call) or GuiltyOperation(index, why, a[index], b[index])


def _inserted(index: int, a: Sequence[Operation], b: Sequence[Operation], look: _Look) -> GuiltyOperation | None:
    """Say whether, after records that only one side has, both go on alike as far as `look` sees."""
    gap_b = _gap(a[index:], b[index:], look)
    gap_a = _gap(b[index:], a[index:], look)
    if gap_b is not None and (gap_a is None or gap_b <= gap_a):
        return GuiltyOperation(index, "appears", None, b[index])
    if gap_a is not None:
        return GuiltyOperation(index, "vanishes", a[index], None)
    return None


def _gap(short: Sequence[Operation], long: Sequence[Operation], look: _Look) -> int | None:
    """Return after how many further records `long` goes on as `short` does."""
    head = _all(look, short)
    for gap in range(1, min(_LOOK_AHEAD, len(long))):
        if head and _all(look, long[gap : gap + len(head)]) == head:
            return gap
    return None


def _all(look: _Look, operations: Sequence[Operation]) -> list[object]:
    return [look(one) for one in operations[:_MATCH]]


def _call(one: Operation) -> object:
    return one.name, one.phase, one.module


def _bits(one: Operation) -> object:
    return one.name, one.phase, one.arguments, one.inputs, one.outputs
