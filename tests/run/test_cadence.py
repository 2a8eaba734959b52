"""When a checkpoint is due."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from samerun.errors import Stopped
from samerun.record.reader import RunRecord
from samerun.run.cadence import Cadence
from samerun.run.run import Run

Start = Callable[..., Run]


def test_a_step_cadence_is_due_at_its_multiples_only() -> None:
    cadence = Cadence(3, None)
    assert [n for n in range(1, 10) if cadence.is_due(n, 0, 0.0, 0.0)] == [3, 6, 9]


def test_nothing_is_due_at_a_boundary_that_is_saved() -> None:
    assert not Cadence(3, None).is_due(3, 3, 1e9, 0.0)
    assert not Cadence(None, 1.0).is_due(3, 3, 1e9, 0.0)


def test_a_time_cadence_waits_for_its_seconds() -> None:
    cadence = Cadence(None, 900.0)
    assert not cadence.is_due(5, 0, 899.0, 0.1)
    assert cadence.is_due(5, 0, 900.0, 0.1)


def test_saving_takes_at_most_a_twentieth_of_wall_time() -> None:
    cadence = Cadence(None, 10.0)
    assert not cadence.is_due(5, 0, 11.0, 2.0)
    assert cadence.is_due(5, 0, 40.0, 2.0)


def test_a_clock_that_goes_backwards_loses_nothing(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [2e9]

    def backwards() -> float:
        now[0] -= 5e5
        return now[0]

    monkeypatch.setattr("time.time", backwards)
    for stop_after in (2, None):
        with suppress(Stopped), start(checkpoint={"every": "15min"}, options={"stop_after": stop_after}) as run:
            for step in run.steps(4):
                step.log(x=1.0)
    record = RunRecord.open(run.folder)
    assert record.manifest.updated < record.manifest.created and record.manifest.status == "completed"
    assert [row["step"] for row in record.metrics()] == [0, 1, 2, 3]
    assert sorted(path.name[5:] for path in (run.folder / "checkpoints").glob("step-*")) == [
        f"{step:08d}" for step in (0, 2, 4)
    ]
