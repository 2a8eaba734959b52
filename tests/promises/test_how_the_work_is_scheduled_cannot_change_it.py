"""Promise 4: worker count, checkpoint cadence, watching evaluations, sinks, run name: equal bits."""

from pathlib import Path
from typing import Any

import pytest
from promise_lab import Lab, numbers, only_run, rows

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


def test_a_killed_worker_moves_nothing_and_is_an_event(here: Lab, tmp_path: Path) -> None:
    alone = here.done("plain", tmp_path / "a")
    assert alone == here.done("plain", tmp_path / "b", workers=2, deadly=str(tmp_path / "killed"))
    (event,) = [row for row in rows(only_run(tmp_path / "b") / "events.jsonl") if row["event"] == "worker_restarted"]
    assert event["loader"] == "data" and "SIGKILL" in event["reason"] and 0 <= event["step"] < 9
    assert (tmp_path / "killed").read_text() == event["reason"]
