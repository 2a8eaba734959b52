"""Which proofs are made, and how their answers become one. The proofs themselves run as processes in tests/cli."""

from __future__ import annotations

import json
from typing import Any

import pytest

from samerun.errors import ConfigError, NoMatchError
from samerun.rerun.verify import Check, Verification, Wanted, verify


def test_without_a_wish_a_run_is_read_and_a_recipe_is_trained() -> None:
    run, recipe = Wanted(steps=3).settled(is_run=True), Wanted().settled(is_run=False)
    assert (run.files, run.repeat, run.resume, run.steps) == (True, False, False, 3)
    assert (recipe.files, recipe.repeat, recipe.resume) == (False, True, True)
    assert Wanted(repeat=True).settled(is_run=True) == Wanted(repeat=True)


@pytest.mark.parametrize(
    ("verdicts", "answer"),
    [
        (["same", "same"], "same"),
        (["same", "different", "cannot_say"], "different"),
        (["same", "cannot_say"], "cannot_say"),
        ([], "cannot_say"),
    ],
)
def test_the_verdict_is_the_worst_of_all(verdicts: Any, answer: str) -> None:
    checks = tuple(Check("files", verdict, "") for verdict in verdicts)
    assert Verification("x", checks).verdict == answer


def test_the_answer_about_a_run_is_kept_with_it(record: Any) -> None:
    made = record()
    found = verify(made.folder, Wanted(files=True))
    kept = json.loads((made.folder / "verification.json").read_bytes())
    assert kept["verdict"] == found.verdict
    assert kept["subject"] == "tiny-0123abcd"


def test_what_is_not_there_is_named() -> None:
    with pytest.raises(NoMatchError):
        verify("nobody")
    with pytest.raises(ConfigError, match="SR-CONFIG-002"):
        verify("gone.yaml", Wanted(repeat=True))
