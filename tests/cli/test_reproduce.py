"""`samerun reproduce`: its answer in both forms, its exit codes, and wrong usage."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from samerun.cli.main import run

FIELDS = ["schema", "verdict", "summary", "run", "folder", "made", "environment", "unmatched", "steps_compared"]


def test_a_dry_run_says_what_would_be_done_and_writes_nothing(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["reproduce", "first", "--runs", str(made / "runs"), "--dry-run"]
    assert run([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["dry_run"], document["steps"]) == ("samerun.reproduce/1", True, 6)
    assert document["environment"]["used"] == "present"
    assert run([*words, "--steps", "2"]) == 0
    assert "train 2 steps and compare" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (["nobody"], "SR-RECORD-031", 5),
        (["first", "--here", "--fresh-environment"], "SR-REPRODUCE-008", 2),
        (["first", "--data", "gone"], "SR-REPRODUCE-007", 2),
        (["first", "--fresh-environment", "--offline"], "SR-REPRODUCE-005", 3),
        (["first", "--fresh-environment"], "SR-REPRODUCE-004", 3),
        (["script"], "SR-REPRODUCE-003", 3),
        (["first", "--in", "full"], "SR-REPRODUCE-002", 2),
        (["first", "--steps", "0"], "SR-CLI-004", 2),
    ],
)
def test_what_is_refused_is_named_and_nothing_is_made(
    made: Path,
    tmp_path: Path,
    arguments: list[str],
    code: str,
    exit_code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "full/inside").mkdir(parents=True)
    # Elsewhere: the runs are foreign here.
    shutil.copytree(made / "runs", tmp_path / "foreign/runs")
    monkeypatch.chdir(tmp_path)
    assert run(["reproduce", *arguments, "--runs", "foreign/runs", "--json"]) == exit_code
    assert json.loads(capsys.readouterr().out)["error"]["code"] == code
    assert sorted(path.name for path in tmp_path.iterdir()) == ["foreign", "full"]


@pytest.mark.slow
def test_a_run_is_reproduced_and_the_answer_names_its_folder(samerun: Any, made: Path, tmp_path: Path) -> None:
    place = tmp_path / "project"
    shutil.copytree(made, place)
    done = samerun("reproduce", "script", "--in", "out", "--trust", "--json", cwd=place)
    assert done.code == 0, done.err + done.out
    assert list(done.document) == [*FIELDS, "first_difference", "repository"]
    assert (done.document["verdict"], done.document["folder"]) == ("same", "out")
    assert "restoring the source" in done.err
    assert (place / "out" / done.document["made"] / "manifest.json").is_file()
    quiet = samerun("reproduce", "first", "--steps", "2", "-q", cwd=place)
    assert quiet.code == 0 and quiet.err == "" and len(quiet.out.splitlines()) == 1
