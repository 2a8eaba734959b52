"""Untracked state of recipes and scripts, looked for in a process of its own, and what becomes of it in an answer."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from samerun.judge.untracked import Untracked
from samerun.rerun.answer import Check
from samerun.rerun.made import making_of_recipe
from samerun.rerun.series import Series
from samerun.rerun.untracked import Search, untracked_of, with_untracked

ONE = Untracked("model.calls", "attribute", 0, "1", "2", "save it")
SCRIPT = """
import torch

import samerun

model = torch.nn.Linear(2, 1)
total = 0
with samerun.start("counting", seed=7) as run:
    run.track(model=model)
    for step in run.steps(4):
        total += 1
        step.log(loss=model(torch.rand(2, 2)).mean())
"""


def looked_for(recipe: str, folder: Path, steps: int = 4) -> Search:
    with closing(Series(making_of_recipe(recipe), folder, lambda text: None)) as series:
        return untracked_of(series, steps)


def test_a_difference_names_what_is_not_saved() -> None:
    check = with_untracked(Check("resume", "different", "they part"), Search((ONE,)))
    assert check.detail == "they part; not saved: model.calls changed 1 -> 2 between steps"
    assert check.as_json()["untracked"] == [ONE.as_json()]


def test_where_the_resume_is_equal_it_is_a_note() -> None:
    check = with_untracked(Check("resume", "same", "2 splits"), Search((ONE,), ("x: too large",)))
    assert (check.detail, check.untracked, check.not_looked_into) == ("2 splits", (ONE,), ("x: too large",))


def test_why_nothing_was_looked_for_is_said(tmp_path: Path) -> None:
    search = looked_for("digits", tmp_path, 1)
    assert with_untracked(Check("resume", "same", ""), search).not_looked_into == ("one step alone carries nothing",)


@pytest.mark.slow
def test_a_script_is_looked_at_and_one_that_fails_is_told(tmp_path: Path) -> None:
    (tmp_path / "counting.py").write_text(SCRIPT)
    found = looked_for(str(tmp_path / "counting.py"), tmp_path / "search")
    assert [(one.path, one.kind) for one in found.found] == [("loop local 'total'", "local")]
    (tmp_path / "failing.py").write_text("raise SystemError('no training')\n")
    search = looked_for(str(tmp_path / "failing.py"), tmp_path / "again")
    assert search.found == () and "no training" in str(search.problem)


@pytest.mark.slow
@pytest.mark.parametrize("recipe", ["digits", "digits-cnn", "text-gpt"])
def test_the_built_in_recipes_carry_nothing_that_is_not_saved(recipe: str, tmp_path: Path) -> None:
    search = looked_for(recipe, tmp_path)
    assert (search.found, search.problem) == ((), None)
