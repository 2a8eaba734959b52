"""`samerun evaluate`: numbers beside the run's rows."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

FIELDS = {"schema", "run", "checkpoint", "split", "metrics", "state_digest"}


@pytest.fixture(scope="module")
def project(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("evaluated") / "project"
    shutil.copytree(made, place)
    return place


def folder(project: Path, name: str) -> Path:
    (found,) = (project / "runs").glob(f"{name}-*")
    return found


def test_one_file_is_written_and_the_record_stays_untouched(samerun: Any, project: Path) -> None:
    run = folder(project, "first")
    before = {path: path.read_bytes() for path in sorted(run.rglob("*")) if path.is_file()}
    done = samerun("evaluate", "first", "--json", cwd=project)
    assert done.code == 0, done.err
    document = done.document
    assert document.keys() >= FIELDS
    assert (document["schema"], document["split"]) == ("samerun.evaluate/1", "test")
    assert document["checkpoint"] == "checkpoints/step-00000006"
    assert 0 <= document["metrics"]["evaluate/accuracy"] <= 1
    after = {path: path.read_bytes() for path in sorted(run.rglob("*")) if path.is_file()}
    (written,) = set(after) - set(before)
    assert written == run / "evaluations/test-step-00000006.json"
    assert {path: after[path] for path in before} == before
    assert json.loads(after[written])["metrics"] == document["metrics"]


def test_the_checkpoint_after_an_evaluation_gives_the_numbers_that_the_run_logged(samerun: Any, project: Path) -> None:
    rows = [json.loads(line) for line in (folder(project, "second") / "metrics.jsonl").read_bytes().splitlines()]
    row = next(row for row in rows if "evaluate/accuracy" in row)
    done = samerun(
        "evaluate",
        "second",
        "--checkpoint",
        row["step"] + 1,
        "--split",
        "validation",
        "--tag",
        "t",
        "--json",
        cwd=project,
    )
    assert done.code == 0, done.out
    for column in ("evaluate/accuracy", "evaluate/loss"):
        assert done.document["metrics"][column] == row[column]
    assert done.document["state_digest"] == row["run/state_digest"]


def test_a_copy_is_written_where_asked(samerun: Any, project: Path) -> None:
    done = samerun("evaluate", "first", "--limit", "10", "--tag", "ten", "-o", "out.json", "--json", cwd=project)
    assert done.code == 0, done.out
    copy = json.loads((project / "out.json").read_bytes())
    assert (copy["limit"], copy["tag"]) == (10, "ten")


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["first", "--checkpoint", "5"], 5, "SR-CHECKPOINT-021"),
        (["first", "--checkpoint", "newest"], 2, "SR-EVALUATE-002"),
        (["other", "--checkpoint", "best"], 5, "SR-EVALUATE-004"),
        (["first", "--split", "tset"], 5, "SR-TRAINER-014"),
        (["first", "--tag", "../x"], 2, "SR-RECORD-001"),
        (["script"], 2, "SR-EVALUATE-001"),
        (["gone"], 5, "SR-RECORD-031"),
        (["first", "-o", "missing/out.json"], 2, "SR-RECORD-034"),
    ],
)
def test_what_cannot_be_evaluated_is_named(
    samerun: Any, project: Path, arguments: list[str], code: int, error: str
) -> None:
    done = samerun("evaluate", *arguments, "--json", cwd=project)
    assert (done.code, done.error["code"]) == (code, error)


def test_a_dry_run_writes_nothing(samerun: Any, project: Path) -> None:
    before = sorted((folder(project, "other") / "evaluations").iterdir())
    done = samerun("evaluate", "other", "--dry-run", "--json", cwd=project)
    assert (done.code, done.document["step"]) == (0, 6)
    assert sorted((folder(project, "other") / "evaluations").iterdir()) == before


NET = """
from samerun.config.parts import Part
from samerun.config.schema import Table
from torch import nn

PART = Part(name="net", config=Table, build="net:build", description="a model of our own")

def build(settings, shape, source):
    return nn.Linear(2, 2)
"""
OWN = """
trainer: supervised
steps: 1
batch_size: 4
schedule: {kind: constant}
task: {kind: table, path: rows.csv, label: y, validation_fraction: 0}
model: {kind: "net:PART"}
"""


def test_other_code_or_data_than_the_run_had_is_refused_or_told(samerun: Any, tmp_path: Path) -> None:
    rows = "a,b,y\n" + "".join(f"{row},{row * row % 7},{row % 2}\n" for row in range(20))
    (tmp_path / "rows.csv").write_text(rows)
    (tmp_path / "net.py").write_text(NET)
    (tmp_path / "own.yaml").write_text(OWN)
    done = samerun("train", "own.yaml", "-q")
    assert done.code == 0, done.err
    (tmp_path / "net.py").write_text(NET.replace("nn.Linear(2, 2)", "nn.Sequential(nn.Linear(2, 2))[0]"))
    refused = samerun("evaluate", "own", "--json")
    assert (refused.code, refused.error["code"]) == (3, "SR-EVALUATE-005"), refused.err
    assert 'experiment.source.user["net.py"]' in refused.error["evidence"][0]
    told = samerun("evaluate", "own", "--json", "--allow-drift", "source")
    assert (told.code, told.document["drift"]) == (0, ['experiment.source.user["net.py"]']), told.out
    written = json.loads((folder(tmp_path, "own") / "evaluations/test-step-00000001.json").read_bytes())
    assert written["drift"] == told.document["drift"]
    assert samerun("evaluate", "own", "--json", "--allow-drift", "sauce").error["code"] == "SR-RESUME-005"
    (tmp_path / "net.py").write_text(NET)
    (tmp_path / "rows.csv").write_text(rows + "99,1,0\n")
    refused = samerun("evaluate", "own", "--json", "--allow-drift", "source")
    assert (refused.code, refused.error["code"]) == (3, "SR-EVALUATE-005")
    assert 'experiment.inputs["input/rows.csv"]' in refused.error["evidence"][0]
