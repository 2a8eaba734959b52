"""TOML recipes: values by the standard library, lines by a scan."""

from __future__ import annotations

import math
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samerun.config.toml_text import read_toml
from samerun.errors import ConfigError

TEXT = '''# head
trainer = "x" # "y" = 1
a.b = 1

[model]
kind = "mlp"
hidden = [ # [ ] }
  64,
  "a, ] # b",
]
inline = {p = 1, q = {r = [1, 2]}}
long = """
[not.a.table]
x = 1
"""
lit = \'\'\'
y = 2\'\'\'
"dotted.key" = 1
"q\\"x".'lit' = 3

[[groups]]
match = "w"
[[groups]]
match = "b"
[groups.more]
z = 1
[[groups.inner]]
u = 1
[[groups.inner]]
u = 2
'''


def test_every_key_keeps_its_line() -> None:
    lines = read_toml(TEXT, "r.toml").lines
    wanted = {
        ("trainer",): 2,
        ("a",): 3,
        ("a", "b"): 3,
        ("model",): 5,
        ("model", "kind"): 6,
        ("model", "hidden"): 7,
        ("model", "hidden", 0): 8,
        ("model", "hidden", 1): 9,
        ("model", "inline", "p"): 11,
        ("model", "inline", "q", "r", 1): 11,
        ("model", "long"): 12,
        ("model", "lit"): 16,
        ("model", "dotted.key"): 18,
        ("model", 'q"x', "lit"): 19,
        ("groups",): 21,
        ("groups", 0, "match"): 22,
        ("groups", 1): 23,
        ("groups", 1, "match"): 24,
        ("groups", 1, "more", "z"): 26,
        ("groups", 1, "inner", 0, "u"): 28,
        ("groups", 1, "inner", 1, "u"): 30,
    }
    assert {path: lines.get(path) for path in wanted} == wanted


def paths_of(value: Any, path: tuple[str | int, ...] = ()) -> set[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return {found for key, item in items for found in ({(*path, key)} | paths_of(item, (*path, key)))}


def test_every_value_has_a_line_and_every_line_a_value() -> None:
    reading = read_toml(TEXT, "r.toml")
    assert set(reading.lines) == paths_of(reading.value)
    assert reading.value == tomllib.loads(TEXT)


basic = st.text().map(
    lambda text: '"' + "".join(f"\\U{ord(c):08X}" for c in text if not "\ud800" <= c <= "\udfff") + '"'
)
literal = st.text(alphabet='ab#[]{}=," .', max_size=6).map(lambda text: f"'{text}'")
multi = st.text(alphabet="ab#[]{}=,'\n .", max_size=8).map(lambda text: f'"""{text}"""')
bare = st.integers(-(2**63), 2**63 - 1).map(str) | st.sampled_from(
    ["1e-4", "true", "1_000", "inf", "1979-05-27", "07:32:00"]
)
scalar = basic | literal | multi | bare
keys = st.lists(
    st.text(alphabet="abc_-1", min_size=1, max_size=3) | literal.filter(lambda k: k != "''"), min_size=1, max_size=4
)
values = st.recursive(
    scalar,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: "[ # x ]\n" + ",\n".join(items) + "\n]")
        | st.lists(inner, max_size=3).map(
            lambda items: "{" + ", ".join(f"k{n} = {v}" for n, v in enumerate(items)) + "}"
        )
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.text(alphabet="abc_-1", min_size=1, max_size=3), values, max_size=5))
def test_the_scan_finds_each_value_of_any_document(table: dict[str, str]) -> None:
    text = "[t]\n" + "".join(f"{key} = {value}\n" for key, value in table.items())
    try:
        wanted = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    reading = read_toml(text, "r")
    assert set(reading.lines) == paths_of(wanted)
    line = 2
    for key, value in table.items():
        assert reading.lines["t", key] == line
        line += 1 + value.count("\n")


@pytest.mark.parametrize("text", ["1979-05-27", "1979-05-27T07:32:00Z", "1979-05-27 07:32:00.5", "07:32:00"])
def test_dates_and_times_stay_the_text_that_was_written(text: str) -> None:
    assert read_toml(f"x = {text} # when\n", "r").value == {"x": text}
    assert read_toml(f"x = {{y = [{text}, 1]}}\n", "r").value == {"x": {"y": [text, 1]}}


def test_minus_zero_stays_negative_so_that_it_can_be_refused() -> None:
    value = read_toml("x = -0.0\ny = [-0, 0]\nz = -0 # here\n", "r").value
    assert [math.copysign(1, number) for number in (value["x"], *value["y"], value["z"])] == [-1, -1, 1, -1]


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ("a = 1\na = 2\n", 2, "SR-CONFIG-007"),
        ("[a]\n[b]\n[a]\n", 3, "SR-CONFIG-007"),
        ("a = 012\n", 1, "SR-CONFIG-003"),
        ("a = no\n", 1, "SR-CONFIG-003"),
        ("a = 1\nb\n", 2, "SR-CONFIG-003"),
        ('a = "x\n', 1, "SR-CONFIG-003"),
        ("a = [1,", 1, "SR-CONFIG-003"),
    ],
)
def test_what_is_no_toml_is_refused_with_its_line(text: str, line: int, code: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_toml(text, "r.toml")
    assert (caught.value.code, caught.value.evidence) == (code, (f"r.toml:{line}",))
