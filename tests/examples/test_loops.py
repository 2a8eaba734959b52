"""The example loops, as a user runs them: in processes of their own, stopped and started again."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from samerun.record.find import find_runs
from samerun.record.reader import RunRecord

END = 30
"""Steps compared: past the first epoch of both loops."""
LOOPS = ("plain_loop", "epoch_loop")


def train(script: Path, runs: Path, stop_after: int) -> RunRecord:
    command = [sys.executable, "-m", "samerun", "-q", "train", str(script), "--runs", str(runs)]
    done = subprocess.run([*command, "--stop-after", str(stop_after)], capture_output=True, text=True)
    assert done.returncode == 75, done.stderr
    (record,) = find_runs(runs)
    return record


def rows_of(record: RunRecord) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    metrics = [{key: row[key] for key in row if key != "sum" and "time/" not in key} for row in record.metrics()]
    return metrics, [{key: row[key] for key in row if key != "sum"} for row in record.trail()]


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_that_is_stopped_and_started_again_is_the_same_run(repository: Path, tmp_path: Path, name: str) -> None:
    script = repository / "examples" / f"{name}.py"
    whole = train(script, tmp_path / "whole", END)
    for stop_after in (23, END):
        parts = train(script, tmp_path / "parts", stop_after)
    assert rows_of(parts) == rows_of(whole)
    assert len(rows_of(whole)[0]) == END


def test_the_plain_loop_has_thirty_lines(repository: Path) -> None:
    assert len((repository / "examples" / "plain_loop.py").read_text().splitlines()) == 30


@pytest.mark.parametrize("name", LOOPS)
def test_an_example_imports_nothing_of_samerun_but_the_public_name(repository: Path, name: str) -> None:
    tree = ast.parse((repository / "examples" / f"{name}.py").read_text())
    found = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and "samerun" in (node.module or "")]
    assert found == []
