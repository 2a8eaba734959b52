"""How a run stands, read from its folder."""

from __future__ import annotations

from typing import Any

import pytest

from samerun.errors import UsageError
from samerun.rerun.outcome import Outcome, outcome_of


def test_the_newest_facts_are_read(record: Any) -> None:
    made = record(checkpoints=(0, 4, 6), metrics={"train/loss": 0.5}, state_digest="xxh3:1")
    found = Outcome.read(made.folder)
    assert (found.status, found.step, found.checkpoint) == ("stopped", 6, "checkpoints/step-00000006")
    assert found.as_json()["metrics"] == {"train/loss": 0.5}
    fields = ["run", "identity", "status", "step", "state_digest", "metrics", "checkpoint", "steps_trained"]
    assert list(found.as_json()) == fields


def test_a_run_without_a_checkpoint_says_so(record: Any) -> None:
    assert Outcome.read(record(checkpoints=()).folder).checkpoint is None


def test_the_last_opened_run_is_the_answer_and_none_is_an_error(record: Any) -> None:
    made = record()
    assert outcome_of([made.folder / "other", made.folder], "it").folder == made.folder
    with pytest.raises(UsageError, match="SR-TRAIN-003"):
        outcome_of([], "it")
