"""`samerun verify`: what it proves, what it finds, how it answers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from samerun.cli.main import run

FIELDS = ["name", "verdict", "detail", "first_difference", "steps_compared", "rests_on", "components", "cases"]
FIELDS += ["untracked", "not_looked_into"]
TINY = ("-s", "schedule.kind=constant", "-s", "model.hidden=[8]", "-s", "evaluate.every=3")


@pytest.fixture
def runs(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made / "runs", tmp_path / "runs")
    return tmp_path / "runs"


def test_a_whole_run_is_said_to_be_whole_and_the_answer_is_kept(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", "first", "--runs", str(runs), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["verdict"]) == ("samerun.verify/1", "same")
    assert [list(check) for check in document["checks"]] == [FIELDS]
    (kept,) = runs.glob("first-*/verification.json")
    assert json.loads(kept.read_bytes())["checks"] == document["checks"]
    assert run(["verify", "first", "--runs", str(runs)]) == 0
    assert "rests on: the bytes of every file" in capsys.readouterr().out
    assert run(["show", "first", "--runs", str(runs)]) == 0
    assert "these checks: files" in capsys.readouterr().out


def test_quiet_is_one_line_for_each_verdict(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", "first", "--runs", str(runs), "-q"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["  files: same, every file is what was written"]


def test_a_flipped_byte_is_found_and_named(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (trail,) = runs.glob("first-*/trail.jsonl")
    data = bytearray(trail.read_bytes())
    data[len(data) // 2] ^= 1
    trail.write_bytes(data)
    assert run(["verify", "first", "--runs", str(runs)]) == 1
    assert "trail.jsonl" in capsys.readouterr().out


def test_a_dry_run_names_the_checks_and_makes_none(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", "digits", "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["checks"] == ["repeat", "resume"]
    assert run(["verify", "first", "--runs", str(runs), "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["checks"] == ["files"]
    assert run(["verify", "first", "--runs", str(runs), "--all", "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["checks"] == ["files", "repeat", "resume", "neutral", "here"]
    assert run(["verify", "--script", "train.py", "--neutral", "--dry-run", "--json", "--", "--rate", "1"]) == 0
    assert json.loads(capsys.readouterr().out)["subject"] == "train.py"
    assert run(["verify", "nosuch", "--runs", str(runs), "--dry-run", "--json"]) == 5


def test_between_machines_nothing_is_promised_yet(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", "first", "--portable", "--runs", str(runs)]) == 1
    assert "cannot_say, needs tier portable" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["digits", "--split", "0"], "SR-CLI-004"),
        (["digits", "--split", "one"], "SR-CLI-004"),
        (["digits", "--steps", "0"], "SR-CLI-004"),
        (["nobody"], "SR-RECORD-031"),
        (["first", "-s", "steps=3"], "SR-CLI-006"),
        ([], "SR-CLI-003"),
        (["dgits.yaml"], "SR-CONFIG-002"),
    ],
)
def test_wrong_usage_is_named(
    made: Path, arguments: list[str], code: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(made)
    assert run(["verify", *arguments, "--json"]) in (2, 5)
    assert json.loads(capsys.readouterr().out)["error"]["code"] == code


@pytest.mark.slow
def test_a_recipe_is_repeated_and_resumed_in_fresh_processes(samerun: Any, tmp_path: Path) -> None:
    done = samerun("verify", "digits", *TINY, "--steps", "5", "--json")
    assert done.code == 0, done.err
    assert "resume, 2 of " in done.err
    repeat, resume = done.document["checks"]
    assert (repeat["name"], repeat["steps_compared"]) == ("repeat", 5)
    assert resume["name"] == "resume"
    for word in ("after the first step", "before an evaluation", "after an evaluation", "before the last step"):
        assert word in resume["detail"]
    assert "by a signal inside its step" in resume["detail"] and "killed in step" in resume["detail"]
    assert resume["steps_compared"] == 5 and "a chain of" in resume["rests_on"]
    assert {found["verdict"] for found in resume["components"].values()} == {"same"}
    assert {"batch", "model", "optimizer", "batches", "metrics", "ambient"} <= resume["components"].keys()
    assert list((tmp_path / "runs").iterdir()) == []


@pytest.mark.slow
def test_a_recorded_run_is_repeated_from_its_record(samerun: Any, made: Path, tmp_path: Path) -> None:
    place = tmp_path / "project"
    shutil.copytree(made, place)
    done = samerun("verify", "first", "--files", "--repeat", "--json", cwd=place)
    assert done.code == 0, done.out
    assert [check["steps_compared"] for check in done.document["checks"]] == [0, 6]
    some = samerun("verify", "first", "--repeat", "--steps", "4", "--json", cwd=place)
    assert (some.code, some.document["checks"][0]["steps_compared"]) == (0, 4), some.out
    script = samerun("verify", "script", "--resume", "--split", "3,4", "--json", cwd=place)
    assert script.code == 0, script.out


FORGETFUL = """
import torch

import samerun

with samerun.start("forgetful", seed=7) as run:
    model = torch.nn.Linear(2, 1)
    optim = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    run.track(model=model)
    for step in run.steps(6):
        loss = model(torch.ones(1, 2)).square().mean()
        optim.zero_grad()
        loss.backward()
        optim.step()
        step.log(loss=loss)
"""


@pytest.mark.slow
def test_a_loop_that_forgets_its_optimizer_is_caught_with_the_step_and_the_tensor(samerun: Any, tmp_path: Path) -> None:
    (tmp_path / "forgetful.py").write_text(FORGETFUL)
    done = samerun("verify", "forgetful.py", "--resume", "--split", "3", "--json")
    assert done.code == 1, done.err
    (check,) = done.document["checks"]
    assert check["verdict"] == "different"
    assert "stopped after step 3" in check["detail"]
    assert check["first_difference"]["step"] in (3, 4)
    assert check["first_difference"]["component"] == "model"


@pytest.mark.slow
def test_a_script_with_arguments_of_its_own_is_proved_either_way(samerun: Any, made: Path, tmp_path: Path) -> None:
    shutil.copy(made / "loop.py", tmp_path / "loop.py")
    words = ("--repeat", "--steps", "2", "--json", "--", "--rate", "0.5")
    for subject in (["--script", "loop.py"], ["loop.py"]):
        done = samerun("verify", *subject, *words)
        assert (done.code, done.document["subject"]) == (0, "loop.py"), done.out
        assert done.document["checks"][0]["steps_compared"] == 2
