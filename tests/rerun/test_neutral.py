"""What a flip that differs, or cannot be made, does to the answer; flips run as processes in tests/cli."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from samerun.rerun.answer import Case
from samerun.rerun.compared import Compared
from samerun.rerun.flips import Flip
from samerun.rerun.made import Making
from samerun.rerun.neutral import _answer, _least, _worse, flips_for, neutral_check
from samerun.rerun.series import Series
from samerun.rerun.whole import Whole

SAME, OTHER = Compared("same", "equal", None, 6), Compared("different", "they part at step 2", None, 6)
UNSAID = Compared("cannot_say", "no step")


def test_a_flip_that_differs_is_named_and_what_was_not_flipped_is_listed() -> None:
    cases = [Case("workers=2", "different"), Case("steps=9", "same"), Case("init", None, "its content is identity")]
    found = _answer(cases, (Flip("workers", ("workers=2",)), OTHER), SAME, "both")
    assert (found.verdict, found.detail.startswith("with workers=2: they part at step 2")) == ("different", True)
    assert "not flipped: init (its content is identity)" in found.detail
    assert _answer([Case("workers=2", "same")], None, SAME, "").verdict == "same"


def test_a_flip_that_could_not_be_made_leaves_the_question_open() -> None:
    found = _answer([Case("workers=2", "cannot_say", "SR-X: no"), Case("a", "same")], None, SAME, "")
    assert (found.verdict, found.detail.startswith("workers=2: SR-X: no")) == ("cannot_say", True)
    assert _answer([Case("init", None, "why")], None, UNSAID, "").verdict == "cannot_say"


def test_the_first_that_differs_is_the_one_that_is_named() -> None:
    first, second = Flip("a", ("a=1",)), Flip("b", ("b=1",))
    assert _worse(None, first, SAME) is None
    assert _worse((first, OTHER), second, OTHER) == (first, OTHER)
    assert _worse((first, UNSAID), second, OTHER) == (second, OTHER)


def test_a_component_counts_as_far_as_every_flip_compared_it() -> None:
    whole, thinned = (
        replace(SAME, components={"model": {"verdict": "same", "steps": steps, "first_step": None}}) for steps in (6, 2)
    )
    assert _least(UNSAID, whole) is whole
    assert _least(whole, thinned).components["model"]["steps"] == 2
    assert _least(thinned, whole).components["model"]["steps"] == 2
    assert _least(whole, replace(SAME, components={"x": {"steps": 1}})).components["model"]["verdict"] == "cannot_say"


def test_without_a_step_nothing_can_be_said(record: Any, tmp_path: Path) -> None:
    made = record(steps=0)
    whole = Whole((made,), made, 0, None)
    series = Series(Making("digits"), tmp_path, lambda text: None)
    assert neutral_check(series, whole, fresh=lambda: whole).verdict == "cannot_say"


def test_a_recipe_and_a_script_have_flips_of_their_own(record: Any, tmp_path: Path) -> None:
    made = record()
    whole = Whole((made,), made, 6, None)
    recipe = flips_for(Series(Making("digits"), tmp_path, lambda text: None), whole)
    assert "workers" in {flip.path for flip in recipe}
    script = {flip.path: flip for flip in flips_for(Series(Making("t.py"), tmp_path, lambda text: None), whole)}
    assert "workers" not in script
    assert str(script["checkpoint.best"]) == "checkpoint.best={metric: train/loss, better: lower}"
