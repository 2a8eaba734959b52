"""What is said where a run goes on with other aside values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from samerun.record.reader import RunRecord
from samerun.run.run import Run

Start = Callable[..., Run]


def test_other_aside_values_are_said_once_and_recorded_where_the_run_goes_on(
    start: Start, capsys: pytest.CaptureFixture[str]
) -> None:
    def go(epochs: int, steps: int) -> str:
        given: dict[str, Any] = {"config": {"epochs": epochs, "rate": 0.1}, "aside": {"epochs": "how far"}}
        with start(**given, options={"is_quiet": False}) as run:
            list(run.steps(steps))
        changed.append([row["changed"] for row in RunRecord.open(run.folder).events() if row["event"] == "aside"])
        return capsys.readouterr().err

    changed: list[list[dict[str, list[int]]]] = []
    assert "aside values" not in go(6, 1) + go(6, 2)
    assert "samerun: aside values changed: epochs 6 -> 8\n" in go(8, 3)
    assert "aside values" not in go(8, 4)
    assert "epochs 8 -> 6" in go(6, 5)
    there, back = {"epochs": [6, 8]}, {"epochs": [8, 6]}
    assert changed == [[], [], [there], [there], [there, back]]
