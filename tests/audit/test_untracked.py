"""Generators that the loop of a run draws from and that no checkpoint holds."""

from __future__ import annotations

import pytest
from planted_cases import Case, cases, name

from samerun.audit.scan import scan_text


@pytest.mark.parametrize("case", cases("SR107"), ids=name)
def test_what_is_planted_is_found_and_its_twin_is_not(case: Case) -> None:
    assert {finding.code for finding in scan_text(case.text, "planted.py").findings} == case.wanted


def test_a_generator_is_named_once_with_its_loop_and_what_to_write() -> None:
    text = next(case.text for case in cases("SR107") if case.is_found)
    (found,) = scan_text(text + "        y = rng.normal()\n", "planted.py").findings
    assert (found.line, found.do) == (3, "run.track(rng=rng), or step.stream('rng').")
    assert "rng is made once, drawn from in the loop of line 5" in found.what
