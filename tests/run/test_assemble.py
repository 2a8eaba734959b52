"""Putting a live run together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from samerun.run.run import Run


def test_all_parts_of_a_run_share_one_loop_one_seed_and_one_folder(start: Callable[..., Run]) -> None:
    with start(seed=11) as run:
        run.hook("seen", 1, lambda completed: None)
        for step in run.steps(2):
            assert run.source.seed == 11
            with run.evaluation("val") as evaluation:
                evaluation.log(number=step.index)
            assert evaluation.step == run.step == step.index
    names = {path.name for path in run.folder.iterdir()}
    assert {"manifest.json", "metrics.jsonl", "trail.jsonl", "events.jsonl", "hooks_done.jsonl"} <= names


def test_two_runs_of_one_process_share_nothing(start: Callable[..., Run]) -> None:
    with start("one") as one, start("two", seed=8) as two:
        places: list[Any] = []
        for run in (one, two):
            for step in run.steps(2):
                run.values["place"] = step.stream("move").uniform()
            places.append(run.values["place"])
    assert one.folder != two.folder and places[0] != places[1]
    assert (one.step, two.step) == (2, 2)
