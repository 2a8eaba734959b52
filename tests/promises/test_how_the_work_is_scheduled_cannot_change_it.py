"""Promise 4: worker count, checkpoint cadence, watching evaluations, sinks, run name: equal bits."""

from pathlib import Path
from typing import Any

import pytest
from promise_lab import Lab, numbers

SCHEDULES: list[dict[str, Any]] = [
    {"workers": 1},
    {"workers": 2},
    {"workers": 4},
    {"checkpoint": {"every": 1}},
    {"checkpoint": {"every": "15min"}},
    {"checkpoint": {"every": 2, "keep": 1, "asynchronous": True}},
    {"evaluate_every": 1},
]


@pytest.mark.parametrize("options", SCHEDULES, ids=str)
def test_a_schedule_moves_nothing(here: Lab, tmp_path: Path, options: dict[str, Any]) -> None:
    alone = numbers(here.done("plain", tmp_path / "a"), without="watch/")
    assert alone == numbers(here.done("plain", tmp_path / "b", **options), without="watch/")
