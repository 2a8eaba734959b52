"""`samerun gc`: shown first, deleted with -y."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from samerun.cli.main import run


@pytest.fixture
def runs(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made / "runs", tmp_path / "runs")
    return tmp_path / "runs"


def test_nothing_goes_without_a_yes(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(runs.rglob("*"))
    assert run(["gc", "--runs", str(runs), "--keep", "1"]) == 0
    captured = capsys.readouterr()
    assert "can go" in captured.out and "add -y" in captured.err
    assert run(["gc", "--runs", str(runs), "--keep", "1", "-y", "--dry-run"]) == 0
    assert sorted(runs.rglob("*")) == before


def test_what_was_shown_goes_with_a_yes_and_the_runs_stay_whole(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gc", "--runs", str(runs), "--keep", "1", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert run(["gc", "--runs", str(runs), "--keep", "1", "-y", "--json"]) == 0
    deleted = json.loads(capsys.readouterr().out)
    assert deleted["found"] == shown["found"] and deleted["deleted"]
    assert all(not Path(one["path"]).exists() for one in deleted["found"])
    assert run(["verify", "first", "--runs", str(runs), "--files", "-q"]) == 0
    assert run(["diff", "first", "second", "--runs", str(runs)]) == 0


def test_an_empty_folder_has_nothing_to_give(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gc", "--runs", str(tmp_path / "none"), "-y"]) == 0
    assert capsys.readouterr().out == "0 things deleted, 0 B\n"


def test_only_paths_are_said_when_quiet(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gc", "--runs", str(runs), "--keep", "1", "-q"]) == 0
    captured = capsys.readouterr()
    assert captured.err == "" and captured.out.splitlines()
    assert all(Path(line).is_dir() for line in captured.out.splitlines())
