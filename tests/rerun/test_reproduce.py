"""`samerun.reproduce`: real runs made again in a new folder, compared, with what could not be matched; and refusals."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from samerun.base.sealed import read_sealed, write_sealed
from samerun.errors import MissingError, RefusedError, UsageError
from samerun.judge.integrity import check_files
from samerun.record import layout
from samerun.record.environment import environment_document
from samerun.record.manifest import Entry
from samerun.record.reader import RunRecord
from samerun.rerun.child import run_samerun
from samerun.rerun.reproduce import plan_reproduction, reproduce
from samerun.rerun.reproducing.publishing import REPRODUCTION
from samerun.rerun.surroundings import SURROUNDINGS

LOOP = """
import argparse
import sys
from pathlib import Path

import torch

import helper
import samerun

parser = argparse.ArgumentParser()
parser.add_argument("--rate", type=float, default=0.1)
cfg = parser.parse_args()
assert Path(helper.__file__).resolve().parent == Path(__file__).resolve().parent, "the helper of another folder"

with samerun.start("loop", config=cfg, seed=7) as run:
    model = torch.nn.Linear(4, 1)
    optim = torch.optim.SGD(model.parameters(), cfg.rate)
    run.track(model=model, optim=optim)
    for step in run.steps(5):
        loss = helper.loss_of(model)
        optim.zero_grad()
        loss.backward()
        optim.step()
        step.log(loss=loss)
"""
HELPER = """
import torch


def loss_of(model):
    return model(torch.rand(6, 4)).square().mean()
"""
NEEDED = """
annotated-types click filelock fsspec jinja2 markdown-it-py markupsafe mdurl mpmath networkx numpy packaging pydantic
pydantic-core pygments rfc8785 rich ruamel-yaml safetensors samerun setuptools sympy torch typing-extensions
typing-inspection xxhash
"""
"""What a loop of torch needs."""
TINY = ["-s", "steps=4", "-s", "schedule.kind=constant", "-s", "model.hidden=[8]", "-s", "checkpoint.best=null"]
PART = """
import net_layers

from samerun.config.parts import Part
from samerun.trainers.supervised.tasks.config import TableTable

PART = Part(name="rows", config=TableTable, build="own_rows:build", description="rows of our own")


def build(settings, project):
    from samerun.trainers.supervised.tasks.table import load

    return load(net_layers.same(settings), project)
"""
RECIPE = """
trainer: supervised
seed: 7
steps: 4
task: {kind: "own_rows:PART", path: rows.csv, label: label}
model: {kind: mlp, hidden: [4]}
schedule: {kind: constant}
batch_size: 8
checkpoint: {best: null}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    (place / "pyproject.toml").touch()
    (place / "loop.py").write_text(LOOP)
    (place / "helper.py").write_text(HELPER)
    monkeypatch.chdir(place)
    return place


def trained(project: Path, *words: str) -> RunRecord:
    return RunRecord.open(Path(run_samerun(["train", *words], SURROUNDINGS[0], project).document["run"]).absolute())


def names(found: Any) -> list[tuple[str, str]]:
    return [(one.kind, one.name) for one in found.unmatched]


@pytest.mark.slow
def test_a_built_in_recipe_comes_out_the_same_in_a_new_folder(project: Path) -> None:
    made = trained(project, "digits", "--name", "first", *TINY)
    found = reproduce(made.folder, folder=project / "out")
    assert (found.verdict, found.used, found.unmatched, found.steps_compared) == ("same", "present", (), 4)
    assert found.made == f"project/runs/{made.name}" and found.folder == project / "out"
    again = RunRecord.open(project / "out" / found.made)
    assert check_files(again) == [] and again.manifest.state_digest == made.manifest.state_digest
    kept = read_sealed(project / "out" / REPRODUCTION)
    assert kept["verdict"] == "same" and str(project) not in json.dumps(kept)
    assert sorted(path.name for path in project.iterdir() if path.name.startswith(".")) == []


@pytest.mark.slow
def test_a_script_runs_from_its_own_snapshot_however_its_project_was_edited(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = trained(project, "loop.py", "--", "--rate", "0.2")
    # Found by every process, as an editable install would be.
    path = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(project), path]))
    (project / "helper.py").write_text("raise SystemExit('the original project was run')\n")
    before = sorted(path.relative_to(project) for path in project.rglob("*") if "__pycache__" not in path.parts)
    with pytest.raises(RefusedError, match="SR-REPRODUCE-003"):
        reproduce(made.folder, folder=tmp_path / "out")
    found = reproduce(made.folder, folder=tmp_path / "out", trust=True)
    assert (found.verdict, found.steps_compared) == ("same", 5)
    assert (tmp_path / "out/project/helper.py").read_text() == HELPER
    assert sorted(path.relative_to(project) for path in project.rglob("*") if "__pycache__" not in path.parts) == before
    # The new folder is a project of its own, and its run goes on there.
    monkeypatch.setenv("PYTHONPATH", path)
    done = run_samerun(["resume", str(found.made).rpartition("/")[2]], SURROUNDINGS[0], tmp_path / "out/project")
    assert done.document["steps_trained"] == 0


@pytest.mark.slow
def test_a_part_of_a_project_that_is_gone_runs_with_its_data_elsewhere(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "own_rows.py").write_text(PART)
    (project / "net_layers.py").write_text("def same(settings):\n    return settings\n")
    (project / "recipe.yaml").write_text(RECIPE)
    rows = "".join(f"{number % 5},{number},{number % 2}\n" for number in range(60))
    (project / "rows.csv").write_text("a,b,label\n" + rows)
    made = trained(project, "recipe.yaml")
    kept = tmp_path / "kept" / made.name
    shutil.move(made.folder, kept)
    (tmp_path / "data").mkdir()
    shutil.move(project / "rows.csv", tmp_path / "data/rows.csv")
    monkeypatch.chdir(tmp_path)
    shutil.rmtree(project)
    lacking = reproduce(kept, folder=tmp_path / "out", trust=True)
    assert (lacking.verdict, lacking.folder, names(lacking)) == ("cannot_say", None, [("data", "rows.csv")])
    assert not (tmp_path / "out").exists()
    found = reproduce(kept, folder=tmp_path / "out", trust=True, data=tmp_path / "data")
    assert (found.verdict, found.unmatched, found.steps_compared) == ("same", (), 4)
    (tmp_path / "data/rows.csv").write_text("a,b,label\n" + rows.replace("7,", "8,"))
    other = reproduce(kept, folder=tmp_path / "other", trust=True, data=tmp_path / "data")
    assert other.verdict == "different" and ("data", 'inputs["input/rows.csv"]') in names(other)
    assert other.first_difference is not None


@pytest.mark.slow
def test_a_run_that_hangs_on_something_else_is_different_from_a_named_step_on(project: Path, tmp_path: Path) -> None:
    (project / "helper.py").write_text(HELPER.replace("6, 4", "6, 4) * float(open('outside.txt').read()"))
    (project / "outside.txt").write_text("1.0")
    made = trained(project, "loop.py")
    (project / "outside.txt").write_text("2.0")
    found = reproduce(made.folder, folder=tmp_path / "out", steps=3)
    assert (found.verdict, found.steps_compared) == ("different", 3) and found.first_difference is not None
    assert (found.first_difference.step, found.folder) == (0, tmp_path / "out")
    assert read_sealed(tmp_path / "out" / REPRODUCTION)["first_difference"]["step"] == 0


@pytest.mark.slow
def test_an_environment_that_differs_is_built_and_then_matches(project: Path, tmp_path: Path) -> None:
    made = trained(project, "loop.py")
    document = made.document(layout.ENVIRONMENT)
    document["distributions"] = {name: document["distributions"][name] for name in NEEDED.split()}
    # Another one than is here, so that the present environment does not match.
    document["distributions"]["idna"] = {"version": "3.9", "record": None, "origin": None}
    write_sealed(made.folder / layout.ENVIRONMENT, document)
    with pytest.raises(RefusedError, match="SR-REPRODUCE-005"):
        reproduce(made.folder, folder=tmp_path / "out", offline=True)
    found = reproduce(made.folder, folder=tmp_path / "out")
    assert (found.verdict, found.used, found.steps_compared) == ("same", "built", 5)
    assert [(one.kind, one.name) for one in found.differences] == [("package", "idna")]
    assert names(found) == [("package", "samerun")]
    built = RunRecord.open(tmp_path / "out" / str(found.made)).document(layout.ENVIRONMENT)
    assert built["distributions"]["idna"]["version"] == "3.9" and "mypy" not in built["distributions"]


@pytest.mark.slow
def test_what_fails_leaves_no_folder_behind(project: Path, tmp_path: Path) -> None:
    made = trained(project, "loop.py")
    document = made.document(layout.ENVIRONMENT)
    document["distributions"] = {"xxhash": {"version": "99.0", "record": None, "origin": None}}
    write_sealed(made.folder / layout.ENVIRONMENT, document)
    (tmp_path / "work").mkdir()
    with pytest.raises(MissingError, match="SR-EXPORT-004"):
        reproduce(made.folder, folder=tmp_path / "work/out")
    assert list((tmp_path / "work").iterdir()) == []


@pytest.mark.slow
def test_a_kill_leaves_nothing_of_the_name_of_a_result(project: Path, tmp_path: Path) -> None:
    (project / "helper.py").write_text(
        "import time\n" + HELPER.replace("    return", "    time.sleep(0.3)\n    return")
    )
    made = trained(project, "loop.py")
    (tmp_path / "work").mkdir()
    words = [sys.executable, "-m", "samerun", "reproduce", str(made.folder), "--in", str(tmp_path / "work/out")]
    process = subprocess.Popen(words, cwd=project, stderr=subprocess.DEVNULL, start_new_session=True)
    while not list((tmp_path / "work").rglob("trail.jsonl")) and process.poll() is None:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    (left,) = (tmp_path / "work").iterdir()
    assert left.name.startswith(".out.") and left.name.endswith(".tmp") and not (left / REPRODUCTION).exists()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_signal_takes_everything_away(project: Path, tmp_path: Path, number: int) -> None:
    made = trained(project, "digits", "--name", "first", *TINY)
    (tmp_path / "work").mkdir()
    words = [sys.executable, "-m", "samerun", "reproduce", str(made.folder), "--in", str(tmp_path / "work/out"), "-q"]
    process = subprocess.Popen(words, cwd=project)
    while not list((tmp_path / "work").glob(".out.*/recipe.json")) and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(number)
    assert process.wait() == 130
    assert list((tmp_path / "work").iterdir()) == []


# -- nothing is trained below this line --------------------------------------------------------------------------------

SCRIPT = {"train.py": "import samerun\n"}


@pytest.fixture
def recorded(record: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., RunRecord]:
    monkeypatch.chdir(tmp_path)

    def make(**wishes: Any) -> RunRecord:
        made: RunRecord = record(Entry("script", (), "train.py"), files=SCRIPT, **wishes)
        return made

    return make


@pytest.mark.parametrize("there", ["file", "full"])
def test_a_folder_that_is_there_is_refused(recorded: Any, tmp_path: Path, there: str) -> None:
    if there == "file":
        (tmp_path / "out").touch()
    else:
        (tmp_path / "out/more").mkdir(parents=True)
    with pytest.raises(UsageError, match="SR-REPRODUCE-002"):
        reproduce(recorded().folder, folder=tmp_path / "out", trust=True)


def test_code_that_is_stored_nowhere_is_named_and_nothing_is_kept(recorded: Any, record: Any, tmp_path: Path) -> None:
    secret = {"train.py": "TOKEN = 'hf_abcdefghijklmnopqrstuvwxyz01234567'\n"}
    made = record(Entry("script", (), "train.py"), files=secret)
    (tmp_path / "project/train.py").unlink()
    found = reproduce(made.folder, folder=tmp_path / "out", trust=True)
    assert (found.verdict, names(found), found.folder) == ("cannot_say", [("secret", "train.py")], None)
    assert not [path for path in tmp_path.iterdir() if "out" in path.name]


def test_a_record_whose_rows_do_not_fit_cannot_be_said_of(recorded: Any, tmp_path: Path) -> None:
    found = reproduce(recorded(steps=0).folder, folder=tmp_path / "out", trust=True)
    assert (found.verdict, found.summary) == ("cannot_say", "the record holds no step")


def test_a_plan_writes_nothing_and_names_a_folder(recorded: Any, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    plan = plan_reproduction(recorded().folder, trust=True, data=tmp_path)
    assert plan.folder == Path("reproduced-tiny-0123abcd") and plan.used == "present" and plan.steps == 6
    assert plan.data == f"the script is started in {tmp_path}"
    assert [path for path in tmp_path.rglob("*") if path not in before and "project" not in path.parts] == []


def test_the_present_environment_matches_what_it_would_record(tmp_path: Path) -> None:
    from samerun.rerun.reproducing.unmatched import environment_differences

    assert environment_differences(environment_document(tmp_path), environment_document(tmp_path)) == ()
