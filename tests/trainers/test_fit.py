"""What happens in the body of the loop of a built-in trainer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from samerun.record.manifest import Checked
from samerun.run.phases import Phases

Train = Callable[..., Any]
"""The fixture `train` of conftest.py."""


def test_an_evaluation_is_due_after_every_so_many_steps(train: Train) -> None:
    rows = train(evaluate={"every": 2}).rows
    assert [row["step"] for row in rows if "evaluate/accuracy" in row] == [1, 3, 5]
    assert all("train/loss" in row and "train/learning_rate" in row for row in rows)


def test_watching_changes_no_number(train: Train) -> None:
    seldom = train(name="seldom").trail
    often = train(name="often", evaluate={"every": 1}, recheck_every=2, checkpoint={"every": 2}).trail
    assert len(seldom) == len(often) == 6
    for first, second in zip(seldom, often, strict=True):
        assert first | {"loss": None} == second | {"loss": None}  # the digest of numbers covers those of evaluations


def test_early_stopping_ends_the_run_as_completed(train: Train) -> None:
    stop = {"metric": "evaluate/loss", "min_delta": 100.0, "patience": 2}
    run = train(evaluate={"every": 1}, early_stop=stop)
    assert run.record.manifest.status == "completed"
    assert [row["step"] for row in run.rows] == [0, 1, 2]


def test_early_stopping_counts_on_after_a_restart(train: Train) -> None:
    stop = {"metric": "evaluate/loss", "min_delta": 100.0, "patience": 3}
    whole = train(runs="whole", evaluate={"every": 1}, early_stop=stop).rows
    train(stop_after=2, evaluate={"every": 1}, early_stop=stop)
    parts = train(evaluate={"every": 1}, early_stop=stop).rows
    assert parts == whole and len(whole) == 4


def test_the_best_evaluation_chooses_the_best_checkpoint(train: Train) -> None:
    run = train(evaluate={"every": 2}, checkpoint={"best": {"metric": "evaluate/loss", "better": "lower"}})
    losses = {row["step"] + 1: row["evaluate/loss"] for row in run.rows if "evaluate/loss" in row}
    assert run.record.manifest.best["step"] == min(losses, key=lambda step: losses[step])


def test_the_manifest_says_how_many_steps_were_made_twice_and_were_equal_also_over_a_restart(train: Train) -> None:
    assert train(runs="whole", recheck_every=2).record.manifest.checked == Checked(3, 3)
    assert train(recheck_every=2, stop_after=3).record.manifest.checked == Checked(1, 1)
    assert train(recheck_every=2).record.manifest.checked == Checked(3, 3)
    assert train(runs="never").record.manifest.checked == Checked(0, 0)


def test_a_stopwatch_is_told_the_phases_of_each_step_and_changes_no_number(train: Train) -> None:
    phases = Phases()
    watched = train(name="watched", evaluate={"every": 3}, phases=phases).trail
    assert [list(step) for step in phases.steps][1:3] == [
        ["collect", "learn", "settle"],
        ["collect", "learn", "evaluate", "settle"],
    ]
    assert watched == train(name="bare", evaluate={"every": 3}).trail
