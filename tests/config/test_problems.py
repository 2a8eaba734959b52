"""Paths as text, and many problems as one error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samerun.config.problems import Problem, format_path, has, parse_path, raise_problems, value_at
from samerun.errors import ConfigError, ExitCode


@given(st.lists(st.text(min_size=1).filter(lambda text: text.strip() == text), min_size=1))
def test_a_path_that_was_written_is_read_back(segments: list[str]) -> None:
    assert parse_path(format_path(tuple(segments))) == tuple(segments)


def test_paths_are_written_with_dots_and_quoted_where_needed() -> None:
    assert format_path(("model", "hidden", 1)) == "model.hidden.1"
    assert format_path(("weights", "a.b", "c d")) == 'weights."a.b"."c d"'


@pytest.mark.parametrize("text", ["", ".", "a.", ".a", "a..b", 'a"b"', '"a"b', '"a', "a. .b"])
def test_what_is_no_path_is_none(text: str) -> None:
    assert parse_path(text) is None


def test_values_are_found_by_path() -> None:
    tree = {"a": [{"b": 1}], "n": None}
    assert value_at(tree, ("a", 0, "b")) == 1
    assert value_at(tree, ("a", 1, "b")) is None
    assert has(tree, "n")
    assert not has(tree["a"], 1)
    assert not has("text", 0)


def test_one_problem_is_its_own_error() -> None:
    with pytest.raises(ConfigError) as caught:
        raise_problems([Problem(3, "r.yaml:3", "it is wrong", "SR-CONFIG-005", "do this")], "r.yaml")
    error = caught.value
    assert (error.code, error.what, error.evidence, error.do) == (
        "SR-CONFIG-005",
        "it is wrong",
        ("r.yaml:3",),
        "do this",
    )
    assert error.exit_code == ExitCode.USAGE


def test_several_problems_stand_in_the_order_of_the_file_and_those_of_the_command_line_last() -> None:
    problems = [
        Problem(0, "--seed -1", "d", "SR-CONFIG-004"),
        Problem(0, "-s a=1", "c", "SR-CONFIG-004"),
        Problem(10, "r.yaml:10", "b", "SR-CONFIG-004"),
        Problem(9, "r.yaml:9", "a", "SR-CONFIG-005"),
        Problem(9, "r.yaml:9", "a", "SR-CONFIG-005"),
    ]
    with pytest.raises(ConfigError) as caught:
        raise_problems(problems, "r.yaml")
    assert caught.value.code == "SR-CONFIG-001"
    assert caught.value.what == "4 problems in the settings of r.yaml"
    assert caught.value.evidence == (
        "r.yaml:9: a [SR-CONFIG-005]",
        "r.yaml:10: b [SR-CONFIG-004]",
        "--seed -1: d [SR-CONFIG-004]",
        "-s a=1: c [SR-CONFIG-004]",
    )
