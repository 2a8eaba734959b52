"""What is printed: strict JSON, colours only where they are wanted."""

from __future__ import annotations

import io
import json
import math
from dataclasses import dataclass
from enum import Enum
from pathlib import PurePosixPath

import pytest

from samerun.cli.output import Output, jsonable, pairs, table
from samerun.errors import RefusedError


class Colour(Enum):
    RED = "red"


@dataclass(frozen=True)
class Point:
    x: float
    tags: tuple[str, ...]


def test_odd_numbers_are_spelled_as_in_the_files_of_a_run() -> None:
    numbers = [math.nan, math.inf, -math.inf, 2**53, 2**53 + 1, -(2**60), True, 1.5]
    assert jsonable(numbers) == [
        "NaN",
        "Infinity",
        "-Infinity",
        2**53,
        "9007199254740993",
        "-1152921504606846976",
        True,
        1.5,
    ]


def test_plain_values_become_json() -> None:
    value = {"point": Point(1.0, ("a",)), 3: Colour.RED, "path": PurePosixPath("a/b"), "set": {"b", "a"}}
    assert jsonable(value) == {"point": {"x": 1.0, "tags": ["a"]}, "3": "red", "path": "a/b", "set": ["a", "b"]}


def test_an_unknown_type_is_our_bug() -> None:
    with pytest.raises(TypeError, match="object has no JSON form"):
        jsonable(object())


def test_the_schema_is_the_first_key(capsys: pytest.CaptureFixture[str]) -> None:
    Output(verb="ls", is_json=True).result({"a": 1, "schema2": 2}, "text")
    document = json.loads(capsys.readouterr().out)
    assert next(iter(document.items())) == ("schema", "samerun.ls/1")


def test_quiet_keeps_the_result_and_drops_the_notes(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output(is_quiet=True)
    output.note("note")
    output.result({}, "result")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("result\n", "")


def test_an_error_has_four_parts_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    Output().error(RefusedError("SR-X-001", "the identity moved", evidence=["lr: 1 -> 2"], do="samerun fork"))
    assert capsys.readouterr().err == "error SR-X-001: the identity moved\n  lr: 1 -> 2\n  do: samerun fork\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("color", "no_color", "stream", "is_colored"),
    [
        ("auto", "", Terminal(), True),
        ("auto", "", io.StringIO(), False),
        ("auto", "1", Terminal(), False),
        ("always", "1", io.StringIO(), True),
        ("never", "", Terminal(), False),
    ],
)
def test_colours_follow_the_option_then_no_color_then_the_terminal(
    color: str, no_color: str, stream: io.StringIO, is_colored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setenv("TERM", "xterm")
    assert ("\x1b[" in Output(color=color).paint("x", "red", stream)) is is_colored


def test_a_table_is_aligned() -> None:
    assert table([["a", "1"], ["long", "22"]], ["name", "n"]) == ["name  n", "a     1", "long  22"]


def test_pairs_spell_values_as_a_recipe_would() -> None:
    assert pairs([("a", 0.1), ("bb", None), ("c", [1, "x"])]) == ["a   0.1", "bb  null", 'c   [1, "x"]']


def test_a_record_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    text = "a\tb\n\x1b]0;title\x07 \x9b2J \x1b[31mred\r"
    Output("show").result({}, text)
    assert capsys.readouterr().out == "a\tb\n\\x1b]0;title\\x07 \\x9b2J \\x1b[31mred\\x0d\n"
    Output("show", color="always").result({}, f"{text}{Output('show', color='always').verdict('same')}")
    assert "\x1b[32msame\x1b[0m" in (said := capsys.readouterr().out) and "\x1b]" not in said
    Output("show", is_json=True).result({"name": text}, "")
    said = capsys.readouterr().out
    assert json.loads(said)["name"] == text and "\x9b" not in said and "\x1b" not in said
