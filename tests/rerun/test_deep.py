"""`diff --deep`: the first operation whose inputs agree and whose output differs, for each planted fault."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from samerun.judge.diff import diff
from samerun.judge.difference import Verdict
from samerun.record.reader import RunRecord
from samerun.rerun.deep import diff_deep

Faulty = Callable[[str], RunRecord]
Compare = Callable[..., Verdict]


@pytest.fixture
def compare(faulty: Faulty, monkeypatch: pytest.MonkeyPatch) -> Compare:
    monkeypatch.chdir(faulty("none").folder.parent.parent)

    def run(fault: str, other: str = "none", **options: Any) -> Verdict:
        return diff_deep(faulty(other), faulty(fault), **options)

    return run


def line_of(text: str) -> int:
    loop = (Path(__file__).parent / "faulty_loop.py").read_text().splitlines()
    return 1 + next(number for number, line in enumerate(loop) if text in line)


@pytest.mark.parametrize(
    ("fault", "name", "why", "source"),
    [
        ("last-bit", "aten::add.Tensor", "other", "torch.nextafter"),
        pytest.param("draw", "aten::rand", "appears", "torch.rand(1)", marks=pytest.mark.slow),
        pytest.param("rate", "aten::mul_.Tensor", "arguments", "optim.step()", marks=pytest.mark.slow),
    ],
)
def test_the_guilty_operation_is_named(compare: Compare, fault: str, name: str, why: str, source: str) -> None:
    first = compare(fault).first_difference
    assert first is not None and first.op is not None
    assert (first.step, first.op["name"], first.op["why"]) == (7, name, why)
    assert first.op["source"] == f"loop.py:{line_of(source)}"


def test_what_no_operation_did_is_said_to_come_from_outside(compare: Compare) -> None:
    verdict = compare("outside")
    first = verdict.first_difference
    assert first is not None and first.op is not None
    assert first.op["name"] == "aten::detach" or first.op["subject"] == "net.0.weight"
    assert verdict.sections["operations"]["b"] == {"from_checkpoint": 5, "steps_repeated": 2, "is_as_recorded": True}


def test_a_step_that_does_not_repeat_itself_is_said_so(compare: Compare) -> None:
    verdict = compare("chance")
    assert verdict.verdict == "different"
    assert any("side b did not give what it had recorded" in note for note in verdict.notes)
    assert verdict.first_difference is not None and verdict.first_difference.op is not None
    assert verdict.first_difference.op["name"].startswith("aten::mul_")


def copied(record: RunRecord, place: Path) -> RunRecord:
    """The same record in another folder: one given twice is no comparison."""
    shutil.copytree(record.folder, place / record.folder.name)
    return RunRecord.open(place / record.folder.name)


def test_equal_runs_are_not_made_again(faulty: Faulty, tmp_path: Path) -> None:
    said: list[str] = []
    plain = faulty("none")
    assert diff_deep(plain, copied(plain, tmp_path), say=said.append).is_same and said == []


def test_records_whose_code_is_not_here_keep_their_answer_and_say_why_none_is_named(
    record: Any, tmp_path: Path
) -> None:
    made = record(files={"train.py": "import samerun\n"})
    other = copied(made, tmp_path)
    (made.folder.parent.parent / "train.py").write_text("import samerun  # moved\n")
    rows = list(made.trail())
    assert rows and diff_deep(made, other) == diff(made, other)
