"""`samerun ls`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from samerun.cli.main import run


@pytest.fixture(autouse=True)
def inside(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made)


def names(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert run(["ls", *arguments, "--json"]) == 0
    return [row["name"] for row in json.loads(capsys.readouterr().out)["runs"]]


def test_runs_are_listed_oldest_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert names(capsys)[:4] == ["first", "second", "other", "script"]


def test_runs_are_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    assert names(capsys, "--where", "config.optimizer.learning_rate=0.01") == ["other"]
    assert names(capsys, "--status", "failed") == []
    assert names(capsys, "--where", "step=6 and evaluate/accuracy>=0")[:3] == ["first", "second", "other"]


def test_the_table_has_a_row_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ls"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["run", "status", "step"]
    assert any(line.startswith("first-") and "6/6" in line and "train/loss" in line for line in lines)


def test_a_row_says_when_and_under_which_identity_a_run_was_made(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ls", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["runs"][0]
    assert run(["ls"]) == 0
    head, line = capsys.readouterr().out.splitlines()[:2]
    assert head.split()[:5] == ["run", "status", "step", "created", "identity"]
    assert line.split()[3:5] == [first["created"][:10], first["identity"][:8]]


def test_the_table_keeps_within_its_width_by_showing_fewer_metrics(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ls"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100 and all("loss" in line for line in lines if line.startswith(("first", "second")))
    assert run(["ls", "-v"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) > 100


def test_an_empty_folder_is_said_on_stderr_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ls", "--runs", str(tmp_path)]) == 0
    captured = capsys.readouterr()
    assert captured.out == "" and "no run in" in captured.err


def test_a_damaged_run_is_in_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "tiny-0123abcd"
    folder.mkdir()
    (folder / "manifest.json").write_text("{")
    assert run(["ls", "--runs", str(tmp_path)]) == 0
    assert "damaged" in capsys.readouterr().out
