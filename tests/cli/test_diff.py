"""`samerun diff`: the answer, its exit code and what stands in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.cli.diff import _row, _section
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


@pytest.mark.parametrize(
    ("row", "line"),
    [
        ({"group": "platform", "path": "x", "kind": "added", "a": None, "b": None}, "  x: (absent) | null"),
        ({"group": "platform", "path": "x", "kind": "removed", "a": 3, "b": None}, "  x: 3 | (absent)"),
        ({"path": "x", "a": "(absent)", "b": None}, "  x: (absent) | null"),
        ({"stream": "user/a", "first_step": 2, "more_in_b": -3}, "  user/a: 3 more drawn in a, first at step 2"),
        ({"path": "git.changed[0]", "a": "a.py", "b": "b.py"}, "  git.changed: other files were not committed"),
    ],
)
def test_a_row_says_which_side_has_nothing(row: dict[str, Any], line: str) -> None:
    assert _row(row) == line


def test_what_did_not_differ_takes_no_line() -> None:
    changed = [{"path": f"git.changed[{number}]", "a": "a", "b": "b"} for number in range(3)]
    assert _section("environment", changed, None)[0] == "environment: 1 different"
    nothing = {"compared": [0], "first_unequal": None, "states_not_compared": 0, "rows_compared": 6}
    assert _section("trail", nothing, None) == ["trail: rows_compared 6"]


def test_a_run_that_is_not_there_is_no_match(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", "first", "nobody"]) == 5
    assert "SR-RECORD-031" in capsys.readouterr().err
