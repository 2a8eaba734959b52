"""The first operation that differs: whose inputs agree and whose output does not, or what stands in its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from samerun.judge.operations import OperationsComparison, compare_operations
from samerun.record.trace import GENERATOR, Operation, Trace

NAMES = (
    "aten::mm",
    "aten::relu",
    "aten::bernoulli_.float",
    "aten::mul.Tensor",
    "aten::sum",
    "aten::mm",
    "aten::add_.Tensor",
)


def operation(index: int, name: str) -> Operation:
    subject = GENERATOR if "bernoulli" in name else "net.weight" if index == 0 else None
    return Operation(
        name, "forward", f"net.{index}", f"train.py:{index}", 0, "(t0, 0.5)", (f"i{index}",), (f"o{index}",), (subject,)
    )


PLAIN = tuple(operation(index, name) for index, name in enumerate(NAMES))


def trace(operations: Sequence[Operation]) -> Trace:
    return Trace("run", "id", 3, 0, {}, {}, {}, tuple(operations))


def compared(changed: Sequence[Operation]) -> OperationsComparison:
    return compare_operations(trace(PLAIN), trace(changed))


def changed(index: int, **fields: object) -> list[Operation]:
    return [replace(one, **fields) if place == index else one for place, one in enumerate(PLAIN)]  # type: ignore[arg-type]


def test_equal_traces_are_same_and_empty_ones_cannot_be_told() -> None:
    assert (compared(PLAIN).answer, compared(PLAIN).compared) == ("same", len(PLAIN))
    assert compare_operations(trace(()), trace(())).answer == "cannot_say"


def test_a_tensor_that_neither_side_digested_is_never_called_the_same() -> None:
    blind = changed(3, outputs=(None,))
    assert compare_operations(trace(blind), trace(blind)).answer == "cannot_say"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"outputs": ("x",)}, "output"),
        ({"inputs": ("x",)}, "input"),
        ({"inputs": ("x",), "outputs": ("x",)}, "input"),
        ({"arguments": "(t0, 0.25)", "outputs": ("x",)}, "arguments"),
        ({"name": "aten::gelu", "outputs": ("x",)}, "other"),
        ({"phase": "backward"}, "other"),
        ({"outputs": ("o1", "o1b")}, "shape"),
    ],
)
def test_why_an_operation_differs_is_named(fields: dict[str, object], why: str) -> None:
    found = compared(changed(1, **fields)).first
    assert found is not None and (found.index, found.why) == (1, why)
    assert found.as_json()["module"] == "net.1" and "net.1" in str(found)


def test_a_generator_that_stands_elsewhere_is_no_guilty_operation() -> None:
    found = compared(changed(2, inputs=("x",), outputs=("x",))).first
    assert found is not None and (found.why, found.subject) == ("generator", GENERATOR)
    assert "something drew before it" in str(found)


def test_a_tracked_tensor_that_comes_in_different_is_named() -> None:
    found = compared(changed(0, inputs=("x",), outputs=("x",))).first
    assert found is not None and (found.why, found.subject) == ("input", "net.weight")


def test_only_the_first_counts_however_many_follow() -> None:
    later = [replace(one, inputs=("x",), outputs=("x",)) for one in PLAIN[3:]]
    found = compared([*changed(2, outputs=("x",))[:3], *later]).first
    assert found is not None and (found.index, found.why) == (2, "output")


@pytest.mark.parametrize("place", [0, 3, len(PLAIN)])
@pytest.mark.parametrize("count", [1, 4])
def test_operations_that_one_side_runs_alone_appear_or_vanish(place: int, count: int) -> None:
    extra = [operation(90 + number, f"aten::extra{number}") for number in range(count)]
    longer = [*PLAIN[:place], *extra, *PLAIN[place:]]
    found = compared(longer).first
    assert found is not None and (found.index, found.why, found.operation) == (place, "appears", extra[0])
    turned = compare_operations(trace(longer), trace(PLAIN)).first
    assert turned is not None and (turned.why, turned.a) == ("vanishes", extra[0])


def test_another_line_module_or_thread_with_equal_bits_is_no_difference() -> None:
    moved = [replace(one, source="other.py:1", thread=1) for one in PLAIN]
    assert compared(moved).answer == "same"


def test_a_record_put_in_is_told_from_another_value_of_the_one_in_its_place() -> None:
    """The one put in bears the name of the one that it comes before, and the trace may end soon after."""
    for index in (1, len(PLAIN) - 1):
        more = replace(PLAIN[index], module="planted", inputs=("x",), outputs=("y",), arguments="(t0, 2)")
        found = compared([*PLAIN[:index], more, *PLAIN[index:]]).first
        assert found is not None and (found.index, found.why, found.operation.module) == (index, "appears", "planted")
        back = compare_operations(trace([*PLAIN[:index], more, *PLAIN[index:]]), trace(PLAIN)).first
        assert back is not None and (back.index, back.why) == (index, "vanishes")


def test_another_tracked_tensor_is_no_tensor_that_came_in_different() -> None:
    found = compared(changed(0, inputs=("x",), outputs=("x",), subjects=("net.other",))).first
    assert found is not None and (found.why, found.subject) == ("other", None)
    assert "of net.weight | " in str(found) and str(found).endswith("of net.other")


@pytest.mark.parametrize("fields", [{"subjects": (None,)}, {"module": "net"}, {"inputs": ("o0",)}])
def test_a_call_put_in_before_one_of_its_name_is_not_blamed_on_a_tensor_from_outside(fields: dict[str, object]) -> None:
    """A transposition of the activations before one of the weight, after which all bits are others."""
    weight = replace(PLAIN[3], name="aten::t", inputs=("i0",), subjects=("net.weight",), arguments="(t0)")
    known = weight if "inputs" not in fields else replace(weight, subjects=(None,))
    extra = replace(known, **{"inputs": ("i1",), **fields})  # type: ignore[arg-type]
    rest = PLAIN[4:]
    after = [replace(one, inputs=("x",), outputs=("y",)) for one in rest]
    plain, other = trace([*PLAIN[:3], known, *rest]), trace([*PLAIN[:3], extra, known, *after])
    put_in, left_out = compare_operations(plain, other).first, compare_operations(other, plain).first
    assert put_in is not None and left_out is not None
    assert [(one.index, one.why, one.operation) for one in (put_in, left_out)] == [
        (3, "appears", extra),
        (3, "vanishes", extra),
    ]
