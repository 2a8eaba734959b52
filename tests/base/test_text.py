"""Texts for people: near names, sizes, spans."""

from __future__ import annotations

import pytest

from samerun.base.text import did_you_mean, human_bytes, human_seconds, nearest, plural


def test_the_nearest_name_is_found_across_typos_case_and_dashes() -> None:
    known = ["learning_rate", "batch_size", "steps"]
    assert nearest("learning_rat", known) == "learning_rate"
    assert nearest("Batch-Size", known) == "batch_size"
    assert nearest("zzzz", known) is None
    assert nearest("x", []) is None


def test_the_answer_does_not_depend_on_the_order_of_what_is_known() -> None:
    known = ["abcd", "abce", "abcf"]
    assert {nearest("abc", order) for order in (known, known[::-1], set(known))} == {nearest("abc", known)}


def test_a_suggestion_names_one_or_all() -> None:
    assert did_you_mean("step", ["steps", "seed"]) == "did you mean 'steps'?"
    assert did_you_mean("zzz", ["b", "a"]) == "known: a, b"
    assert did_you_mean("zzz", []) == "none is known"


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1_500_000, "1.4 MiB"), (2**60, "1024.0 PiB")],
)
def test_sizes(size: int, text: str) -> None:
    assert human_bytes(size) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.35, "350 ms"),
        (12.34, "12.3 s"),
        (245, "4 min 05 s"),
        (7380, "2 h 03 min"),
        (90000, "1 d 01 h"),
        (59.99, "1 min 00 s"),
    ],
)
def test_spans(seconds: float, text: str) -> None:
    assert human_seconds(seconds) == text


def test_plurals() -> None:
    assert [plural(1, "step"), plural(0, "step"), plural(2, "entry", "entries")] == ["1 step", "0 steps", "2 entries"]
