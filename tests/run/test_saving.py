"""Checkpoints of a live run: when they are written, and what is kept."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from samerun.base import files
from samerun.errors import DamageError
from samerun.record.reader import RunRecord

Train = Callable[..., RunRecord]
LOWER = {"metric": "train/loss", "better": "lower"}


def saved(record: RunRecord) -> list[int]:
    return sorted(int(path.name[5:]) for path in (record.folder / "checkpoints").glob("step-*"))


def logging(*losses: float) -> dict[str, Any]:
    return {"body": lambda run, step: step.log(loss=losses[step.index])}


def test_the_first_and_the_last_boundary_are_always_saved(train: Train) -> None:
    assert saved(train(3, checkpoint={"every": 100})) == [0, 3]


def test_the_best_survives_retention_also_over_a_resume_and_a_nan(train: Train) -> None:
    losses = logging(4.0, 1.0, math.nan, 3.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0)
    policy = {"every": 1, "keep": 1, "best": LOWER}
    train(12, checkpoint=policy, options={"stop_after": 5}, **losses)
    record = train(12, checkpoint=policy, **losses)
    assert 2 in saved(record) and len(saved(record)) < 8
    assert record.manifest.best == {"metric": "train/loss", "step": 2, "value": 1.0}


def test_a_best_boundary_is_saved_between_two_due_ones(train: Train) -> None:
    record = train(4, checkpoint={"every": 100, "best": LOWER}, **logging(4.0, 5.0, 1.0, 2.0))
    assert saved(record) == [0, 1, 3, 4]


@pytest.mark.parametrize("first", [math.inf, 1e308])
def test_an_infinite_best_is_a_number_again_after_a_resume(train: Train, first: float) -> None:
    policy = {"every": 1, "best": LOWER}
    train(3, checkpoint=policy, options={"stop_after": 1}, **logging(first, 0.5, 0.7))
    record = train(3, checkpoint=policy, **logging(first, 0.5, 0.7))
    assert record.manifest.best == {"metric": "train/loss", "step": 2, "value": 0.5}


def test_the_best_by_another_metric_is_forgotten(train: Train) -> None:
    def body(run: Any, step: Any) -> None:
        step.log(loss=0.0 if step.index == 0 else 5.0, error=9.0 - step.index)

    train(3, body=body, checkpoint={"every": 1, "best": LOWER}, options={"stop_after": 1})
    other = {"metric": "train/error", "better": "lower"}
    record = train(3, body=body, checkpoint={"every": 1, "best": other})
    assert record.manifest.best == {"metric": "train/error", "step": 3, "value": 7.0}


@pytest.mark.parametrize("is_asynchronous", [False, True])
def test_a_damaged_newest_checkpoint_is_an_error_until_a_fallback_is_asked_for(
    train: Train, is_asynchronous: bool
) -> None:
    policy = {"every": 1, "asynchronous": is_asynchronous}
    record = train(5, checkpoint=policy, options={"stop_after": 3})
    state = next((record.folder / "checkpoints" / "step-00000003").glob("state.json"))
    state.write_bytes(state.read_bytes().replace(b"place", b"plane"))
    with pytest.raises(DamageError):
        train(5, checkpoint=policy)
    assert RunRecord.open(record.folder).manifest.status == "stopped"
    again = train(5, checkpoint=policy, options={"is_fallback": True})
    assert [row["step"] for row in again.metrics()] == [0, 1, 2, 3, 4]
    assert list((record.folder / "attempts").rglob("step-00000003"))


def test_an_asynchronous_save_that_failed_is_raised_before_the_run_ends(train: Train) -> None:
    def failing(operation: str, path: Path) -> None:
        if operation == "write" and "step-00000002" in str(path):
            raise OSError(28, "No space left on device", str(path))

    files.on_operation(failing)
    try:
        with pytest.raises(Exception, match="SR-FILE-001"):
            train(2, checkpoint={"every": 1, "asynchronous": True})
    finally:
        files.on_operation(None)
    assert train(3).manifest.status == "completed"
