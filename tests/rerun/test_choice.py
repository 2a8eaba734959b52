"""Which checkpoint is meant."""

from __future__ import annotations

import fcntl
import shutil
from typing import Any

import pytest

from samerun.errors import NoMatchError, UsageError
from samerun.record import layout
from samerun.record.manifest import Entry
from samerun.rerun.choice import checkpoint_of, read_chosen

RECIPE = Entry("recipe", (), "digits.yaml")


def test_last_best_and_a_step_are_found(record: Any) -> None:
    made = record(RECIPE, checkpoints=(0, 3, 6), best={"step": 3})
    steps = [checkpoint_of(made, wanted).step for wanted in ("last", "best", "0", 6)]
    assert steps == [6, 3, 0, 6]


@pytest.mark.parametrize(
    ("wanted", "kind", "code"),
    [
        ("best", NoMatchError, "SR-EVALUATE-004"),
        ("newest", UsageError, "SR-EVALUATE-002"),
        ("-1", UsageError, "SR-EVALUATE-002"),
        ("5", NoMatchError, "SR-CHECKPOINT-021"),
    ],
)
def test_what_is_not_there_is_named(record: Any, wanted: str, kind: type[Exception], code: str) -> None:
    with pytest.raises(kind, match=code):
        checkpoint_of(record(RECIPE), wanted)


def test_a_run_without_any_checkpoint_says_so(record: Any) -> None:
    with pytest.raises(NoMatchError, match="SR-EVALUATE-003"):
        checkpoint_of(record(RECIPE, checkpoints=()), "last")


def test_a_scripts_run_is_evaluated_by_its_script(record: Any) -> None:
    with pytest.raises(UsageError, match="SR-EVALUATE-001"):
        checkpoint_of(record(), "last")


def test_a_checkpoint_that_retention_takes_meanwhile_is_chosen_again(
    record: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = record(RECIPE, checkpoints=(0, 3, 6))
    lock, taken = fcntl.flock, []

    def lock_too_late(file: Any, how: int) -> None:
        if not taken:
            taken.append(6)
            shutil.rmtree(made.folder / layout.CHECKPOINTS / "step-00000006")
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", lock_too_late)
    assert read_chosen(made, "last").step == 3
    with pytest.raises(NoMatchError, match="SR-CHECKPOINT-021"):
        read_chosen(made, 6)
