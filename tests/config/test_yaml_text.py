"""YAML 1.2 recipes: typing of scalars, lines of keys, and what is refused."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samerun.config.setting import parse_setting
from samerun.config.yaml_text import plain_scalar, read_yaml, read_yaml_value
from samerun.errors import ConfigError


def value(text: str) -> Any:
    return read_yaml(f"x: {text}\n", "r.yaml").value["x"]


@pytest.mark.parametrize("text", ["1e-4", "1.0e-4", "0.0001", "1E-4", "+1e-4", ".0001"])
def test_every_spelling_of_a_number_is_that_number(text: str) -> None:
    assert value(text) == 1e-4
    assert isinstance(value(text), float)
    assert parse_setting(f"x={text}").value == value(text)


STAYS_TEXT = """no yes on off y n No OFF 012 0123 00 08 0777 12:30:00 12:30:45 190:20:30 1_000 2024-01-02
2024-01-02T10:00:00Z 1.2.3 e5 1e 0x 0b11 . - + .. 00.5 nan inf Infinity NULL_ nul TRUE_ tRUE 1,000 = -.e5 --1"""


@pytest.mark.parametrize("text", [*STAYS_TEXT.split(), "1 000"])
def test_what_other_readers_convert_stays_text(text: str) -> None:
    if text not in ("-",):
        assert value(text) == text
    assert plain_scalar(text) == text


NUMBERS = {"7": 7, "-7": -7, "+7": 7, "0": 0, "0x1F": 31, "0o17": 15, "1e3": 1000.0, "5.": 5.0, ".5": 0.5}
WORDS = {"true": True, "False": False, "null": None, "~": None, "": None, str(2**128): 2**128}


@pytest.mark.parametrize(("text", "wanted"), [*NUMBERS.items(), *WORDS.items()])
def test_scalars_of_the_core_schema_are_read(text: str, wanted: object) -> None:
    found = value(text)
    assert found == wanted
    assert type(found) is type(wanted)


def test_quotes_and_blocks_make_text() -> None:
    assert [value('"1e-4"'), value("'7'"), value('"null"'), value("|\n  7\n")] == ["1e-4", "7", "null", "7\n"]


def test_minus_zero_stays_negative_so_that_it_can_be_refused() -> None:
    for text in ("-0", "-0.0", "-0e5", "-.0"):
        assert math.copysign(1, value(text)) == -1


def test_every_key_keeps_its_line() -> None:
    text = "# head\na: 1\n\nb:\n  c: [1,\n      2]\n  d: {e: 1,\n      f: 2}\nlist:\n- x: 1\n- y: 2\n"
    lines = read_yaml(text, "r.yaml").lines
    wanted = {("a",): 2, ("b",): 4, ("b", "c"): 5, ("b", "c", 1): 6, ("b", "d", "e"): 7, ("b", "d", "f"): 8}
    wanted |= {("list",): 9, ("list", 0): 10, ("list", 1): 11, ("list", 1, "y"): 11}
    assert {path: lines[path] for path in wanted} == wanted


def test_windows_line_ends_count_once() -> None:
    assert read_yaml("a: 1\r\nb: 2\r\n", "r.yaml").lines == {("a",): 1, ("b",): 2}


def test_all_duplicates_are_reported_with_both_lines() -> None:
    reading = read_yaml("a: 1\nb: {c: 1, c: 2}\na: 2\na: {a: 1}\n", "r.yaml")
    assert [(problem.line, problem.code) for problem in reading.problems] == [
        (2, "SR-CONFIG-007"),
        (3, "SR-CONFIG-007"),
        (4, "SR-CONFIG-007"),
    ]
    assert "line 1" in reading.problems[1].sentence
    assert reading.value == {"a": 1, "b": {"c": 1}}


def test_anchors_are_values_and_merge_keys_are_refused() -> None:
    assert read_yaml("a: &x [1, 2]\nb: *x\n", "r").value == {"a": [1, 2], "b": [1, 2]}
    reading = read_yaml("a: &x {c: 1}\nb:\n  <<: *x\n", "r")
    assert ["merge keys" in problem.sentence for problem in reading.problems] == [True]


@pytest.mark.parametrize(
    "text", ["!!int 7", "!!str 7", "!!python/name:os.system", "!custom x", "! x", "!!timestamp 2024-01-02"]
)
def test_tags_are_refused(text: str) -> None:
    reading = read_yaml(f"x: {text}\n", "r")
    assert ["tag" in problem.sentence for problem in reading.problems] == [True]


@pytest.mark.parametrize("text", ["1: x", "true: x", "null: x", "~: x", "1.5: x", "!!str a: x"])
def test_keys_that_are_not_text_are_refused(text: str) -> None:
    assert len(read_yaml(text + "\n", "r").problems) == 1


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: 1\n---\nb: 2\n", 2),
        ("a: [1,\n", 2),
        ("a: 1\n\tb: 2\n", 2),
        ("a: @x\n", 1),
        ("a: *nope\n", 1),
        ("a: &x [*x]\n", 1),
        ("? [a]\n: 1\n", 1),
        ("a: \x07\n", 1),
        ("%YAML 1.1\n---\na: no\n", 1),
        ("# note\n%TAG ! tag:x:\n---\na: 1\n", 2),
        ("%FOO\n---\na: 1\n", 1),
        ("a: 1\nb\n", 2),
        ("a: " + "[" * 60 + "]" * 60, 1),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(ConfigError) as caught:
        read_yaml(text, "r.yaml")
    assert caught.value.code == "SR-CONFIG-003"
    assert caught.value.evidence == (f"r.yaml:{line}",)


def test_the_directive_of_yaml_1_2_is_read() -> None:
    assert read_yaml("%YAML 1.2\n---\na: no\n", "r").value == {"a": "no"}


def test_aliases_cannot_blow_up_a_recipe() -> None:
    rows = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 7)]
    with pytest.raises(ConfigError, match="too large"):
        read_yaml("\n".join(rows) + "\n", "r")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("[1, a]", [1, "a"]), ("{a: 1, b: [x]}", {"a": 1, "b": ["x"]}), ('"a: b"', "a: b"), ("''", ""), ("a b", "a b")],
)
def test_a_value_of_the_command_line_is_a_scalar_or_a_flow_value(text: str, wanted: object) -> None:
    assert read_yaml_value(text, "-s x") == wanted


@pytest.mark.parametrize(
    "text",
    ["a: 1", "- a", "a #b", "[1, 2] # x", "a\nb", "@x", "*x", "[1", "{a: 1, a: 2}", "a: b: c", "--- a\n--- b", "-"],
)
def test_anything_else_on_the_command_line_is_refused(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_yaml_value(text, "-s x=...")
    assert caught.value.evidence == ("-s x=...",)


@given(st.text(alphabet="abN01289_.:/+-eExno", max_size=8))
def test_the_short_way_for_simple_values_agrees_with_the_parser(text: str) -> None:
    short: Any
    try:
        short = parse_setting(f"x={text}").value
    except ConfigError:
        short = ConfigError
    try:
        long = read_yaml_value(text, "-s x")
    except ConfigError:
        long = ConfigError
    assert repr(short) == repr(long)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_written_by_python_is_read_back(number: float) -> None:
    found = value(repr(number))
    assert found == number
    assert math.copysign(1, found) == math.copysign(1, number)


def test_escaped_surrogate_pairs_are_one_character_as_in_json() -> None:
    text = json.dumps({"\U0001f600": "a\U0001f600"})
    assert read_yaml(text, "r").value == json.loads(text)
