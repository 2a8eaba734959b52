"""A checkpoint measured again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from samerun.checkpoint.read import read_checkpoint
from samerun.checkpoint.store import find
from samerun.config.layers import resolve
from samerun.errors import NoMatchError
from samerun.trainers.recipe import evaluate_checkpoint

Train = Callable[..., Any]
"""The fixture `train` of conftest.py."""


def evaluated(run: Any, step: int, **options: Any) -> dict[str, float]:
    config = resolve(dict(run.record.config.values))
    checkpoint = read_checkpoint(find(run.record.folder / "checkpoints", step).path)
    return evaluate_checkpoint(config, checkpoint, run.record.folder, seed=7, **options)


def test_evaluating_a_checkpoint_gives_what_the_run_measured(train: Train) -> None:
    run = train(evaluate={"every": 2}, mixed_precision="fp16", average={"decay": 0.9})
    measured = run.rows[-1]
    assert evaluated(run, 6, split="validation") == {
        "loss": measured["evaluate/loss"],
        "accuracy": measured["evaluate/accuracy"],
    }


def test_a_checkpoint_is_evaluated_on_each_split_and_on_part_of_one(train: Train) -> None:
    run = train()
    assert evaluated(run, 0)["accuracy"] < evaluated(run, 6)["accuracy"]
    assert evaluated(run, 6, split="test", limit=10)["accuracy"] * 10 == pytest.approx(
        round(evaluated(run, 6, split="test", limit=10)["accuracy"] * 10)
    )


def test_a_split_that_there_is_not_is_refused_with_those_that_there_are(train: Train) -> None:
    with pytest.raises(NoMatchError, match="SR-TRAINER-014") as caught:
        evaluated(train(), 6, split="dev")
    assert "validation, test, train" in caught.value.evidence[0]


def test_evaluating_moves_no_generator(train: Train) -> None:
    run = train()
    torch.manual_seed(3)
    expected = torch.get_rng_state()
    evaluated(run, 6)
    assert torch.equal(torch.get_rng_state(), expected)
