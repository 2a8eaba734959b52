"""Replay: the recorded step again, compared with its row; a record that was not made so is told apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from samerun.errors import NoMatchError, UsageError
from samerun.record.reader import RunRecord
from samerun.rerun.replay import replay

Faulty = Callable[[str], RunRecord]


def test_a_step_made_again_is_the_step_that_was_recorded(faulty: Faulty, monkeypatch: pytest.MonkeyPatch) -> None:
    made = faulty("draw")
    monkeypatch.chdir(made.folder.parent.parent)
    found = replay(made.folder, step=6, until=8)
    assert (found.verdict, found.compared["steps"], found.compared["from_checkpoint"]) == ("same", [6, 7, 8], 5)
    assert set(found.compared["parts"]) == {"batch", "streams", "ambient", "metrics", "state"}
    assert found.as_json()["first_difference"] is None


def test_a_step_that_does_not_repeat_itself_is_different(faulty: Faulty, monkeypatch: pytest.MonkeyPatch) -> None:
    made = faulty("chance")
    monkeypatch.chdir(made.folder.parent.parent)
    found = replay(made.folder, step=7)
    assert found.verdict == "different" and found.first_difference is not None
    assert (found.first_difference.step, found.first_difference.component) == (7, "optim")


def test_a_step_that_never_happened_and_an_end_before_its_beginning_are_refused(record: Any) -> None:
    made = record()
    with pytest.raises(NoMatchError, match="SR-REPLAY-001"):
        replay(made.folder, step=6)
    with pytest.raises(UsageError, match="SR-REPLAY-003"):
        replay(made.folder, step=3, until=2)
