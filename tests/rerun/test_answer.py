"""How the answers of several checks become one."""

from __future__ import annotations

from typing import Any

import pytest

from samerun.rerun.answer import Check, Verification, Wanted


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
