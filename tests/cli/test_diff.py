"""`samerun diff`: the answer, its exit code and what stands in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.cli.main import run

SECTIONS = {"identity", "config", "source", "environment", "data", "streams", "metrics", "trail", "checkpoints"}


@pytest.fixture(autouse=True)
def inside(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made)


def test_equal_runs_are_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", "first", "second"]) == 0
    assert capsys.readouterr().out.startswith("same: same experiment, same platform; 6 steps compared")


def test_another_rate_is_named_with_its_origin_and_the_step(samerun: Any, made: Path) -> None:
    done = samerun("diff", "second", "other", "--json", cwd=made)
    assert done.code == 1
    document = done.document
    assert list(document)[:2] == ["schema", "verdict"]
    assert set(document["sections"]) == SECTIONS
    rows = {row["path"]: row for row in document["sections"]["config"]}
    row = rows["optimizer.learning_rate"]
    assert (row["a"], row["b"]) == (0.002, 0.01)
    assert "-s optimizer.learning_rate=0.01" in str(row["b_origin"])
    assert document["first_difference"]["step"] == 0


def test_the_text_shows_what_json_holds(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", "second", "other"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("different: another experiment: config.optimizer.learning_rate")
    assert "first difference: step 0" in out
    assert "optimizer.learning_rate: 0.002 | 0.01" in out


def test_a_run_that_is_not_there_is_no_match(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", "first", "nobody"]) == 5
    assert "SR-RECORD-031" in capsys.readouterr().err
