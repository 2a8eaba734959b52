"""The answer as JSON and as lines."""

from __future__ import annotations

import json
from pathlib import Path

from samerun.judge.difference import Difference
from samerun.rerun.reproducing.answer import Reproduction, ReproductionPlan, listed
from samerun.rerun.reproducing.unmatched import Unmatched

ONE = Unmatched("package", "numpy", "2.4.6", "2.5.0", "2.4.6 then, 2.5.0 here")
FOUND = Reproduction(
    "tiny-0123abcd",
    "different",
    "they part",
    Path("out"),
    "project/runs/tiny-0123abcd",
    "built",
    (ONE,),
    (ONE,),
    5,
    Difference(2, "value", "model", "weight"),
)


def test_the_json_has_the_fields_that_scripts_rely_on() -> None:
    document = json.loads(json.dumps(FOUND.as_json()))
    assert list(document) == [
        "verdict",
        "summary",
        "run",
        "folder",
        "made",
        "environment",
        "unmatched",
        "steps_compared",
        "first_difference",
        "repository",
    ]
    assert document["environment"] == {"used": "built", "differences": document["unmatched"]}
    assert document["unmatched"] == [
        {"kind": "package", "name": "numpy", "recorded": "2.4.6", "here": "2.5.0", "why": "2.4.6 then, 2.5.0 here"}
    ]


def test_the_lines_name_difference_environment_and_what_was_not_matched() -> None:
    lines = FOUND.lines()
    assert lines[0].startswith("first difference: step 2: model.weight is other bits")
    assert lines[1:4] == [
        "environment: built from the recorded distributions",
        "not matched: 1",
        "  package numpy: 2.4.6 then, 2.5.0 here",
    ]
    assert lines[4] == "in out: the new run is project/runs/tiny-0123abcd"


def test_a_long_list_is_cut_unless_it_may_be_long() -> None:
    many = (ONE,) * 20
    assert len(listed("x", many, is_long=False)) == 14 and len(listed("x", many, is_long=True)) == 21
    assert listed("x", (), is_long=True) == []


def test_a_plan_says_sizes() -> None:
    plan = ReproductionPlan("tiny", Path("out"), "built", (ONE,), 2, 2048, 84, 6, "missing", ())
    text = "\n".join(plan.lines())
    assert "restore 2 files, 2.0 KiB" in text and "build one, with 84 distributions" in text and "6 steps" in text
    assert plan.as_json()["source"] == {"num_files": 2, "size_bytes": 2048}
