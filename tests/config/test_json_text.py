"""JSON recipes: strict RFC 8259, with the line of every key."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samerun.config.json_text import read_json
from samerun.errors import ConfigError

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(plain, st.sampled_from([None, 0, 2]), st.booleans())
def test_whatever_the_standard_encoder_writes_is_read_back(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    wanted = -0.0 if text == "-0" else json.loads(text)
    assert repr(read_json(text, "r").value) == repr(wanted)


@given(st.text(alphabet='{}[]",:0123456789.eE+-truefalsn \n\\u', max_size=14))
def test_what_the_standard_decoder_refuses_is_refused(text: str) -> None:
    try:
        json.loads(text)
    except ValueError:
        with pytest.raises(ConfigError):
            read_json(text, "r")


def test_every_key_keeps_its_line() -> None:
    text = '{\n  "a": 1,\n  "b": {"c": [1,\n    2]},\n\n  "d": {}\n}\n'
    lines = read_json(text, "r").lines
    assert lines == {("a",): 2, ("b",): 3, ("b", "c"): 3, ("b", "c", 0): 3, ("b", "c", 1): 4, ("d",): 6}


def test_duplicates_are_reported_with_both_lines() -> None:
    reading = read_json('{"a": 1,\n "a": {"a": 1}}', "r.json")
    (problem,) = reading.problems
    assert (problem.where, problem.code, reading.value) == ("r.json:2", "SR-CONFIG-007", {"a": 1})
    assert "line 1" in problem.sentence


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ('{"a": 1,}', 1),
        ('{"a": NaN}', 1),
        ('{"a": 01}', 1),
        ('{"a": +1}', 1),
        ('{"a": .5}', 1),
        ('{"a": 1.}', 1),
        ("{'a': 1}", 1),
        ('{"a": 1} x', 1),
        ('{\n"a": 1\n"b": 2}', 3),
        ('{\n"a": "x\ny"}', 2),
        ('{"a": // x\n1}', 1),
        ("[" * 60 + "]" * 60, 1),
        ('{"a": ' + "9" * 500 + "}", 1),
    ],
)
def test_what_is_no_json_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(ConfigError) as caught:
        read_json(text, "r.json")
    assert (caught.value.code, caught.value.evidence) == ("SR-CONFIG-003", (f"r.json:{line}",))


def test_minus_zero_stays_negative_so_that_it_can_be_refused() -> None:
    for text in ("-0", "-0.0", "-0e0"):
        assert math.copysign(1, read_json(text, "r").value) == -1
