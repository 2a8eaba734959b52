"""Rules for label, group and time."""

from __future__ import annotations

import pytest

from samerun.data.rules import cell_text, file_rule, given
from samerun.errors import UsageError


@pytest.mark.parametrize(
    ("rule", "name", "value"),
    [
        ("folder", "cats/a/1.png", "cats"),
        ("folder", "1.png", None),
        ("folder:2", "cats/a/1.png", "cats/a"),
        ("folder:2", "cats/1.png", None),
        ("regex:speaker-(\\d+)", "x/speaker-17.wav", "17"),
        ("regex:speaker-\\d+", "x/speaker-17.wav", "speaker-17"),
        ("regex:speaker-(\\d+)", "x/1.wav", None),
    ],
)
def test_a_rule_gives_the_value_of_an_id(rule: str, name: str, value: str | None) -> None:
    assert file_rule(rule, "group")(name) == value


@pytest.mark.parametrize("rule", ["", "folders", "folder:0", "folder:x", "folder:-1", "regex:", "regex:(", "column:x"])
def test_what_is_no_rule_is_refused_with_the_option(rule: str) -> None:
    with pytest.raises(UsageError, match="SR-DATA-020") as caught:
        file_rule(rule, "group")
    assert caught.value.what.startswith("--group")


def test_a_cell_is_a_text_or_nothing() -> None:
    values = [None, "", float("nan"), 3.0, 2.5, True, "x", 7]
    assert [cell_text(value) for value in values] == [None, None, None, "3", "2.5", "true", "x", "7"]
    assert given({"a": None, "b": "x"}) == {"b": "x"}
