"""Seeds and choices that another process makes otherwise."""

from __future__ import annotations

import pytest
from planted_cases import Case, cases, name

from samerun.audit.scan import scan_text


@pytest.mark.parametrize("case", cases("SR110", "SR111", "SR112"), ids=name)
def test_what_is_planted_is_found_and_its_twin_is_not(case: Case) -> None:
    assert {finding.code for finding in scan_text(case.text, "planted.py").findings} == case.wanted
