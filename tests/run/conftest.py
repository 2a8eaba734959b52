"""`start` opens a quiet run in a folder of this test; `train` turns a small loop in it and returns its record."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import samerun
from samerun.errors import Stopped
from samerun.record.reader import RunRecord
from samerun.run.launch import LaunchOptions, launching
from samerun.run.run import Run

SCRIPT = "def begin(name, **given):\n    return start(name, **given)\n"
"""What calls `samerun.start`: a project of one file, so that no test depends on the source of the others."""

Start = Callable[..., Run]
Train = Callable[..., RunRecord]


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Probe the platform and load what every run needs, so that no test pays for all."""
    with launching(LaunchOptions(is_quiet=True)), samerun.start("warm", runs=tmp_path_factory.mktemp("warm")) as run:
        list(run.steps(1))


@pytest.fixture
def start(tmp_path: Path, warm: None) -> Start:
    """Return `start(name, options={...}, **arguments)`: `samerun.start` from a script, under these launch options."""

    script = tmp_path / "project" / "train.py"
    script.parent.mkdir()
    script.write_text(SCRIPT)
    space: dict[str, Any] = {"__name__": "script", "start": samerun.start}
    exec(compile(SCRIPT, str(script), "exec"), space)

    def started(name: str = "tiny", *, options: dict[str, Any] | None = None, **arguments: Any) -> Any:
        with launching(LaunchOptions(**{"is_quiet": True, **(options or {})})):
            given = {"name": name, "config": {}, "seed": 7, "runs": tmp_path / "runs", **arguments}
            return space["begin"](**given)

    return started


@pytest.fixture
def train(start: Start) -> Train:
    """Return `train(steps, name, body=None, **arguments)`: a walk in `run.values`, checkpoint at each step.

    A stop ends it as it ends a process: what is returned is the record that the next process finds.
    """

    def trained(steps: int, name: str = "tiny", *, body: Callable[..., None] | None = None, **arguments: Any) -> Any:
        with suppress(Stopped), start(name, **{"checkpoint": {"every": 1}, **arguments}) as run:
            for step in run.steps(steps):
                walk(run, step)
                if body is not None:
                    body(run, step)
        return RunRecord.open(run.folder)

    return trained


def walk(run: Run, step: Any) -> None:
    """Move `run.values["place"]` by a draw, and log it."""
    run.values["place"] = run.values.get("place", 0.0) + float(step.stream("move").uniform())
    step.log(place=run.values["place"])


def rows(record: RunRecord) -> list[dict[str, Any]]:
    """Return the metrics rows without clock columns."""
    return [{key: row[key] for key in row if not key.startswith("time/")} for row in record.metrics()]
