"""How the answers of several checks become one."""

from __future__ import annotations

from typing import Any

import pytest

from samerun.rerun.answer import Case, Check, Verification, Wanted
from samerun.rerun.compared import Compared


def test_without_a_wish_a_run_is_read_and_a_recipe_is_trained() -> None:
    run, recipe = Wanted(steps=3).settled(is_run=True), Wanted().settled(is_run=False)
    assert (run.checks, run.steps) == (("files",), 3)
    assert recipe.checks == ("repeat", "resume")
    assert Wanted(("repeat",)).settled(is_run=True) == Wanted(("repeat",))


@pytest.mark.parametrize("is_run", [True, False])
@pytest.mark.parametrize("checks", [(), ("files",), ("repeat",)])
def test_stops_that_are_named_are_never_left_out(checks: Any, is_run: bool) -> None:
    assert "resume" in Wanted(checks, splits=(3,)).settled(is_run).checks
    assert set(checks) <= set(Wanted(checks, splits=(3,)).settled(is_run).checks)


def test_everything_is_what_applies_and_what_was_asked_for() -> None:
    run = Wanted(("portable",)).settled(is_run=True, everything=True)
    assert run.checks == ("files", "repeat", "resume", "neutral", "portable", "here")
    assert Wanted().settled(is_run=False, everything=True).checks == ("repeat", "resume", "neutral")


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


def test_a_check_says_what_it_rests_on_and_what_was_tried() -> None:
    components = {"model": {"verdict": "same", "steps": 6, "first_step": None}}
    check = Check.of("repeat", Compared("same", "equal", None, 6, components), "two processes", "one and another")
    assert (check.detail, check.rests_on) == ("two processes: equal", "one and another")
    assert check.as_json()["components"] == components
    case = Case("workers=2", "same", "equal", 6)
    assert Check("neutral", "same", "", cases=(case,)).as_json()["cases"][0]["what"] == "workers=2"
    assert Verification("x", (check,)).steps == 6
