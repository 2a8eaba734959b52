"""Findings are counted by call site, and become event facts or a refusal in four parts."""

from __future__ import annotations

from typing import get_args

import pytest

from samerun.errors import ExitCode, RefusedError
from samerun.streams.callsite import Site
from samerun.streams.finding import CODES, Finding, Findings, Kind, refusal

HERE = Site("train.py", 33, "main", True)


def test_one_site_is_one_finding_with_a_count_and_its_first_step() -> None:
    findings = Findings("record")
    for step in (4, 5, 6):
        findings.add("draw", "random.random", HERE, "between steps", step)
    findings.add("draw", "random.random", Site("train.py", 34, "main", True), "between steps", 6)
    first, second = findings.take()
    assert (first.count, first.step, second.count) == (3, 4, 1)
    assert findings.take() == []
    assert findings.failure is None


def test_raising_names_the_site_and_is_remembered_for_the_loop() -> None:
    findings = Findings("raise")
    with pytest.raises(RefusedError) as caught:
        findings.add("seed", "random.seed", HERE, "in a step", 2)
    assert caught.value.exit_code == ExitCode.REFUSED and caught.value.code == "SR-GUARD-003"
    assert "at: train.py:33 in main" in caught.value.evidence and "when: in a step (step 2)" in caught.value.evidence
    with pytest.raises(RefusedError):
        findings.check()


@pytest.mark.parametrize("kind", get_args(Kind))
def test_every_kind_has_a_code_and_words(kind: Kind) -> None:
    found = Finding(kind, "something", HERE, "in a step", 2, "MainThread", 1)
    error = refusal(found)
    assert error.code == CODES[kind] == found.facts()["code"]
    assert "something" in error.what and "{" not in str(error) and error.do


def test_a_finding_without_a_site_says_between_which_steps_it_was() -> None:
    found = Finding("draw", "the global generator of numpy", None, "between steps, before step 4", 4, "MainThread", 1)
    assert found.where() == "somewhere between steps, before step 4"
    assert found.facts()["file"] is None


def test_a_package_is_shown_with_the_line_that_led_to_it() -> None:
    assert str(Site("gym/seeding.py", 7, "np_random", False, "train.py:3 in main")) == (
        "gym/seeding.py:7 in np_random, called from train.py:3 in main"
    )
