"""Comments that silence a finding, and those that do not."""

from __future__ import annotations

import pytest
from planted_cases import Case, cases, name

from samerun.audit.scan import scan_text


@pytest.mark.parametrize("case", cases("SR190", "SR191", "SR192"), ids=name)
def test_what_is_planted_is_found_and_its_twin_is_not(case: Case) -> None:
    assert {finding.code for finding in scan_text(case.text, "planted.py").findings} == case.wanted


def test_what_is_silenced_is_listed_with_its_reason() -> None:
    answer = scan_text("import random\nrandom.seed(7)  # samerun: allow[SR101] - a game", "x.py")
    assert answer.findings == () and answer.is_clean
    assert [(one.finding.code, one.reason) for one in answer.silenced] == [("SR101", "a game")]


def test_a_comment_allows_only_the_codes_it_names() -> None:
    text = "import random\nrandom.seed(hash('x'))  # samerun: allow[SR101] a game"
    answer = scan_text(text, "x.py")
    assert [finding.code for finding in answer.findings] == ["SR110"]
    assert [one.finding.code for one in answer.silenced] == ["SR101"]
