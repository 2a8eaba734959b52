"""The closed list: complete, described, and no template can be mistaken for another."""

from __future__ import annotations

import itertools

from samerun.streams.registry import BY_TEXT, TEMPLATES, USER_PREFIXES


def shape(text: str) -> tuple[str | None, ...]:
    return tuple(None if part.startswith("{") else part for part in text.split("/"))


def test_the_streams_of_the_design_are_all_there() -> None:
    assert {
        "ambient/setup",
        "ambient/restore",
        "ambient/throwaway",
        "ambient/step/{step}/micro/{micro}/rank/{rank}",
        "ambient/loader/{step}",
        "ambient/evaluation/{name}/{step}",
        "ambient/scope/{name}/{step}",
        "data/order/epoch/{epoch}",
        "data/item/epoch/{epoch}/item/{item}",
        "data/worker/{worker}",
        "model/weights/{name}",
        "user/...",
        "step/{step}/user/...",
    } <= set(BY_TEXT)


def test_each_template_stands_once_and_says_who_draws() -> None:
    assert len(BY_TEXT) == len(TEMPLATES)
    assert all(len(template.description) > 15 for template in TEMPLATES)


def test_no_name_fits_two_templates() -> None:
    for first, second in itertools.combinations([t.text for t in TEMPLATES if not t.is_user], 2):
        a, b = shape(first), shape(second)
        assert len(a) != len(b) or any(x != y and x is not None and y is not None for x, y in zip(a, b)), (
            first,
            second,
        )


def test_no_built_in_name_can_be_a_users_name() -> None:
    # A user's name is "user", or begins with a prefix word and holds "user" at a fixed place.
    firsts = {template.text.split("/")[0] for template in TEMPLATES if not template.is_user}
    assert firsts.isdisjoint({"user", *USER_PREFIXES})


def test_every_form_of_a_users_name_ends_in_user_and_further_parts() -> None:
    assert all(t.text.split("/")[-2:] == ["user", "..."] for t in TEMPLATES if t.is_user)
    assert set(USER_PREFIXES) == {"step", "epoch", "evaluation", "scope"}
