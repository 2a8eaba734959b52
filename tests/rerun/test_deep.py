"""`diff --deep`: the first operation whose inputs agree and whose output differs, for each planted fault."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from warm_process import WarmProcess

from samerun.judge.difference import Verdict
from samerun.judge.operations import compare_operations
from samerun.record.reader import RunRecord
from samerun.rerun.deep import _notes, _repeated, _side, diff_deep
from samerun.rerun.redo import remaking

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


@pytest.mark.slow
def test_the_side_that_differs_from_itself_is_named(
    faulty: Faulty, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(faulty("none").folder.parent.parent)
    sure = _side(remaking(faulty("none"), tmp_path / "sure"), 7, None)
    found = compare_operations(sure.trace, sure.trace)
    for name in ("a", "b"):
        chance = _side(remaking(faulty("chance"), tmp_path / name), 7, None)
        assert sure.is_as_recorded and not chance.is_as_recorded
        sides = (chance, sure) if name == "a" else (sure, chance)
        notes = list(_notes(_repeated(*sides, found, 1, lambda text: None)))
        assert f"side {name} against itself: in try 1 the same step came out different" in notes
        assert [note.split(" did not")[0] for note in notes if "had recorded" in note] == [f"side {name}"]


def test_equal_runs_are_not_made_again(faulty: Faulty, tmp_path: Path) -> None:
    said: list[str] = []
    made = faulty("none")
    shutil.copytree(made.folder, tmp_path / "runs" / made.name)
    assert diff_deep(made, RunRecord.open(tmp_path / "runs" / made.name), say=said.append).is_same and said == []


def test_records_whose_code_is_not_here_keep_their_answer_and_say_why_none_is_named(
    faulty: Faulty, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    for fault in ("none", "draw"):
        shutil.copytree(faulty(fault).folder, project / "runs" / faulty(fault).name)
    (project / "loop.py").write_text("raise SystemExit('other code')\n")
    monkeypatch.chdir(project)
    sides = [RunRecord.open(project / "runs" / faulty(fault).name) for fault in ("none", "draw")]
    verdict = diff_deep(*sides)
    assert verdict.verdict == "different" and verdict.first_difference is not None
    assert verdict.first_difference.op is None
    assert any("no operation is named: SR-VERIFY-003" in note for note in verdict.notes)


RESTARTED = """
import os
import sys

import torch

import samerun

with samerun.start("loop", seed=7, checkpoint={"every": int(sys.argv[1])}) as run:
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(0.2), torch.nn.Linear(8, 1))
    optim = torch.optim.AdamW(net.parameters(), 0.01)
    batches = run.loader(torch.arange(64.0).reshape(16, 4), batch_size=4)
    run.track(net=net, batches=batches, optim=optim)
    run.restore()
    if run.step and "half" in sys.argv:
        optim.state.clear()
    for step in run.steps(8):
        if step.index == 5 and "LOOP_OFF" in os.environ:
            net[0].weight.data.mul_(2)
        loss = net(next(batches)).square().mean()
        optim.zero_grad()
        loss.backward()
        if step.index == 5 and "clip" in sys.argv:
            torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1)
        optim.step()
        step.log(loss=loss)
"""


@pytest.mark.slow
def test_what_a_process_does_once_is_no_difference_and_a_restart_with_half_of_the_state_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "loop.py").write_text(RESTARTED)
    monkeypatch.chdir(tmp_path)
    warm = WarmProcess(tmp_path)

    def made(name: str, *arguments: str, stop: int | None = None) -> RunRecord:
        for limit in [["--stop-after", str(stop)]] * (stop is not None) + [[]]:
            done = warm.run("train", "loop.py", "--name", name, "-q", *limit, "--", *arguments, cwd=tmp_path)
            assert done.code in (0, 75), done.err
        (folder,) = (tmp_path / "runs").glob(f"{name}-*")
        return RunRecord.open(folder)

    plain, clipped = made("plain", "3"), made("clipped", "5", "clip")
    first = diff_deep(plain, clipped).first_difference
    assert first is not None and first.op is not None
    assert first.op["name"].startswith("aten::_foreach_norm") or "norm" in first.op["name"]
    verdict = diff_deep(plain, made("half", "3", "half", stop=4))
    assert verdict.first_difference is not None and verdict.first_difference.component == "optim"
    assert any("differ already, in optim" in note for note in verdict.notes)
    warm.close()


@pytest.mark.slow
def test_what_a_process_does_once_does_not_make_a_step_differ_from_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "loop.py").write_text(RESTARTED)
    monkeypatch.chdir(tmp_path)
    warm = WarmProcess(tmp_path)
    for name, every, variables in (("plain", "3", {}), ("off", "5", {"LOOP_OFF": "1"})):
        assert warm.run("train", "loop.py", "--name", name, "-q", "--", every, cwd=tmp_path, **variables).code == 0
    warm.close()
    sides = [RunRecord.open(next((tmp_path / "runs").glob(f"{name}-*"))) for name in ("plain", "off")]
    verdict = diff_deep(*sides, tries=1)
    assert verdict.first_difference is not None
    assert (verdict.first_difference.step, verdict.first_difference.op) == (5, None)
    assert any("did not differ from itself in 1 further" in note for note in verdict.notes)
    assert any("side b did not give what it had recorded" in note for note in verdict.notes)
