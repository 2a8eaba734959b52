"""`samerun show`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from samerun.cli.main import run


@pytest.fixture(autouse=True)
def inside(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made)


def test_a_run_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "first"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("first-") and "  completed\n" in out
    for word in (
        "step       6 of 6",
        "processes  2",
        "train/loss",
        "checkpoints/step-00000006",
        "on disk",
        "; all stored",
    ):
        assert word in out


def test_json_holds_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "first", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert next(iter(document)) == "schema"
    assert (document["status"], document["attempt"], document["entry"]["kind"]) == ("completed", 2, "recipe")
    assert [one["step"] for one in document["checkpoints"]][-1] == 6
    assert document["disk"]["total_bytes"] > document["disk"]["checkpoints_bytes"] > 0


@pytest.mark.parametrize("text", ["@last", "@last~1", "script"])
def test_a_run_may_be_named_in_several_ways(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", text, "-q"]) == 0
    assert "folder" in capsys.readouterr().out


def test_a_text_that_fits_several_runs_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "first", "--json"]) == 0
    prefix = json.loads(capsys.readouterr().out)["run"].rpartition("-")[2]
    assert run(["show", prefix]) == 2
    err = capsys.readouterr().err
    assert "runs/first-" in err and "runs/second-" in err


def test_a_folder_of_runs_may_be_named(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["show", "first", "--runs", str(made / "runs"), "-q"]) == 0
    assert run(["show", "first"]) == 5
    (tmp_path / "pyproject.toml").write_text(f"[tool.samerun]\nruns = '{made / 'runs'}'\n")
    assert run(["show", "first"]) == 0
