"""What the answer of `verify` looks like: short without -v, whole with it, verdicts alone under -q."""

from __future__ import annotations

from dataclasses import replace

from samerun.judge.difference import Difference
from samerun.judge.untracked import Untracked
from samerun.rerun.answer import Case, Check, Verification
from samerun.rerun.proof_text import proof_text

HOW = "other hash seed, time zone, language, temporary folder, PATH, variables, home and working folder"
PART = {"verdict": "same", "steps": 6, "first_step": None}
REPEAT = Check(
    "repeat", "same", "two fresh processes: equal", None, 6, f"a run and another: {HOW}", brief="two fresh ones"
)
RESUME = Check(
    "resume",
    "same",
    "2 stops: 1 after the first step; 5 before the last step",
    None,
    6,
    f"a run and a chain: {HOW}",
    {"model": PART, "metrics": {**PART, "steps": 3}},
    (Case("1 after the first step", "same", "workers=2", 5), Case("5 before the last step", "same", "", 1)),
    brief="2 stops",
)
NEUTRAL = Check(
    "neutral",
    "different",
    "with workers=2: they part; 2 settings flipped one at a time: steps=9; workers=2",
    Difference(2, "value", "model", "fc.weight", "a", "b"),
    6,
    f"a run and one for each: {HOW}",
    {},
    (Case("steps=9", "same", "", 6), Case("workers=2", "different", "they part", 2), Case("init", None, "identity")),
    brief="with workers=2: they part",
)


def test_each_check_is_a_line_with_what_was_tried_below_and_what_it_rests_on_once() -> None:
    text = proof_text(Verification("digits", (REPEAT, RESUME, NEUTRAL)))
    assert text.splitlines() == [
        "different: digits",
        "  repeat: same, two fresh ones, 6 steps",
        "  resume: same, 2 stops, 6 steps",
        "    stops:",
        "      1 after the first step",
        "      5 before the last step",
        "    in fewer steps, or different: metrics 3",
        "  neutral: different, with workers=2: they part, 6 steps",
        "    first difference: step 2: model.fc.weight is other bits (a | b)",
        "    different: workers=2: they part",
        "    flipped: steps=9",
        "    not flipped: init (identity)",
        "  rests on:",
        "    repeat: a run and another",
        "    resume: a run and a chain",
        "    neutral: a run and one for each",
        "    between processes: other hash seed, time zone, language, temporary folder, PATH, variables, home",
        "      and working folder",
    ]


def test_quiet_leaves_the_verdicts_and_the_first_differences() -> None:
    text = proof_text(Verification("digits", (RESUME, NEUTRAL)), is_quiet=True)
    assert text.splitlines() == [
        "different: digits",
        "  resume: same, 2 stops, 6 steps",
        "  neutral: different, with workers=2: they part, 6 steps",
        "    first difference: step 2: model.fc.weight is other bits (a | b)",
    ]


def test_verbose_shows_all_there_is() -> None:
    text = proof_text(Verification("digits", (RESUME,)), is_long=True)
    assert "in full: 2 stops: 1 after the first step; 5 before the last step" in text
    assert "1 after the first step: workers=2" in text and "compared: model 6, metrics 3" in text


def test_no_line_is_long_whatever_was_found() -> None:
    many = replace(
        NEUTRAL,
        verdict="same",
        first_difference=None,
        cases=tuple(Case(f"checkpoint.keep={number}", "same") for number in range(60)),
        not_looked_into=tuple(f"loop local {number}" for number in range(9)),
        untracked=(Untracked("model.calls", "attribute", 0, "1", "2", "give it a state_dict " * 9),),
    )
    text = proof_text(Verification("digits", (many, replace(many, rests_on="a: b"))))
    assert max(map(len, text.splitlines())) <= 100
    assert "not looked into: 9 places (-v lists them)" in text and "(it did not matter in these steps)" in text


def test_only_the_verdict_is_painted() -> None:
    text = proof_text(Verification("digits", (REPEAT,)), is_quiet=True, paint=str.upper)
    assert text.splitlines()[1] == "  repeat: SAME, two fresh ones, 6 steps"
