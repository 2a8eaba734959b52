"""Generators made, seeded and drawn from outside every scope of randomness."""

from __future__ import annotations

import pytest
from planted_cases import Case, cases, name

from samerun.audit.scan import scan_text


@pytest.mark.parametrize("case", cases("SR101", "SR102", "SR103", "SR104", "SR105", "SR106"), ids=name)
def test_what_is_planted_is_found_and_its_twin_is_not(case: Case) -> None:
    assert {finding.code for finding in scan_text(case.text, "planted.py").findings} == case.wanted


def test_the_reason_for_the_grade_is_the_seed() -> None:
    by_hand, by_chance = scan_text("import random\nrandom.seed(1)\nrandom.seed()", "x.py").findings
    assert (by_hand.code, by_hand.grade) == ("SR101", "warning")
    assert (by_chance.code, by_chance.grade) == ("SR102", "error")
