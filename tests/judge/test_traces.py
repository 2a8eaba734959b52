"""Two trace files: the answer, and what is never called the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from samerun.judge.traces import diff_traces
from samerun.record.trace import Operation, Trace

ONE = Operation("aten::mm", "forward", "net", "train.py:7", 0, "(t0)", ("i",), ("o",), ("net.weight",))
TRACE = Trace(
    "a-0123abcd", "one", 7, 5, {"net": "n0"}, {"net": "n1"}, {"threads": 1}, (ONE, replace(ONE, inputs=("o",)))
)


@pytest.fixture
def compared(tmp_path: Path) -> Any:
    def compare(**changes: Any) -> Any:
        TRACE.write(tmp_path / "a.json")
        replace(TRACE, **changes).write(tmp_path / "b.json")
        return diff_traces(tmp_path / "a.json", tmp_path / "b.json")

    return compare


def test_equal_traces_of_two_runs_are_the_same(compared: Any) -> None:
    verdict = compared(run="b-0123abcd", identity="two")
    assert verdict.is_same and "2 operations of step 7" in verdict.summary
    assert any("identity" in note for note in verdict.notes)


def test_an_operation_that_differs_is_the_first_difference(compared: Any) -> None:
    verdict = compared(operations=(replace(ONE, outputs=("x",)), ONE))
    first = verdict.first_difference
    assert (verdict.verdict, first.step, first.op["why"], first.op["source"]) == (
        "different",
        7,
        "output",
        "train.py:7",
    )


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_state_that_differs_around_equal_operations_is_a_difference(compared: Any, moment: str) -> None:
    verdict = compared(**{moment: {"net": "x"}})
    assert (verdict.verdict, verdict.first_difference.component) == ("different", "net")


@pytest.mark.parametrize("changes", [{"step": 8}, {"operations": ()}])
def test_other_steps_and_empty_traces_cannot_be_told(compared: Any, changes: dict[str, Any]) -> None:
    verdict = compared(**changes)
    expected = "cannot_say" if "step" in changes else "different"
    assert verdict.verdict == expected and not verdict.is_same


def test_a_state_that_differs_before_the_step_comes_before_its_operations(compared: Any) -> None:
    verdict = compared(before={"net": "x"}, operations=(replace(ONE, outputs=("x",)), ONE))
    first = verdict.first_difference
    assert (first.component, first.op["why"]) == ("net", "output")
    assert any("before the step" in note for note in verdict.notes)


def test_another_platform_is_said(compared: Any) -> None:
    verdict = compared(platform={"threads": 2})
    assert any("platform" in note for note in verdict.notes) and verdict.sections["platform"]
