"""What code declares that it draws from."""

from __future__ import annotations

import pytest
from loader_samples import Quiet, Unknown, augment, shake

from samerun.data.draws import plan_of
from samerun.errors import UsageError


def test_code_that_declares_nothing_is_taken_for_global() -> None:
    plan = plan_of(Unknown(3), shake, None, None)
    assert (plan.dataset, plan.transform, plan.collate) == ("global", "global", None)
    assert plan.sets_globals and plan.draws_globally


def test_each_piece_declares_for_itself() -> None:
    plan = plan_of(Quiet(3), augment, None, None)
    assert (plan.dataset, plan.transform) == ("none", "stream")
    assert plan.needs_stream and plan.hands_stream and not plan.draws_globally


def test_none_needs_no_work_for_an_item() -> None:
    plan = plan_of(Quiet(3), None, None, None)
    assert not plan.needs_stream and not plan.sets_globals and not plan.draws_globally


def test_the_argument_overrules_what_is_declared() -> None:
    assert plan_of(Unknown(3), shake, print, "none").draws_globally is False
    assert plan_of(Quiet(3), None, None, "global").sets_globals


def test_a_stream_asked_for_goes_to_the_transform_and_without_one_to_the_data_set() -> None:
    with_transform = plan_of(Unknown(3), shake, None, "stream")
    assert (with_transform.dataset, with_transform.transform) == ("none", "stream")
    assert plan_of(Unknown(3), None, None, "stream").dataset == "stream"


@pytest.mark.parametrize("word", ["None", "yes", True, 1])
def test_another_word_is_refused(word: object) -> None:
    with pytest.raises(UsageError, match="SR-DATA-003"):
        plan_of(Quiet(3), None, None, word)  # type: ignore[arg-type]
    transform = lambda item: item  # noqa: E731
    transform.draws = word  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="SR-DATA-003"):
        plan_of(Quiet(3), transform, None, None)
