"""Which checkpoints a choice means."""

from __future__ import annotations

import pytest

from samerun.errors import NoMatchError, UsageError
from samerun.record.bundle.choice import DEFAULT, choose

STEPS = (0, 4, 8, 12)


@pytest.mark.parametrize(
    ("text", "best", "chosen"),
    [
        (DEFAULT, 4, (4, 12)), (DEFAULT, None, (12,)), (DEFAULT, 12, (12,)), ("last", 4, (12,)), ("best", 4, (4,)),
        ("all", None, STEPS), ("none", 4, ()), ("8, 0", None, (0, 8)), ("0,last", None, (0, 12)),
    ],
)  # fmt: skip
def test_a_choice_is_a_function_of_steps(text: str, best: int | None, chosen: tuple[int, ...]) -> None:
    assert choose(text, STEPS, best) == chosen


def test_a_run_without_checkpoints_has_none_to_choose() -> None:
    assert choose(DEFAULT, (), None) == choose("all", (), None) == ()


@pytest.mark.parametrize(("text", "best"), [("best", None), ("best", 5), ("3", 4), ("last,best", None), ("0,3", 4)])
def test_a_checkpoint_that_is_asked_for_by_name_has_to_be_there(text: str, best: int | None) -> None:
    if text == DEFAULT:
        assert choose(text, STEPS, best) == (12,)
        return
    with pytest.raises(NoMatchError, match="SR-BUNDLE-002"):
        choose(text, STEPS, best)


@pytest.mark.parametrize("text", ["", "first", "all,last", "none,0", "-1", "1.5", "0;1", "\u0663"])
def test_what_names_no_checkpoints_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="SR-BUNDLE-001"):
        choose(text, STEPS, 4)
