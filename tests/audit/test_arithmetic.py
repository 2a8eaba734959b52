"""Switches of torch, and operations without a deterministic kernel."""

from __future__ import annotations

import pytest
from planted_cases import Case, cases, name

from samerun.audit.scan import scan_text


@pytest.mark.parametrize("case", cases("SR140", "SR141", "SR142", "SR143"), ids=name)
def test_what_is_planted_is_found_and_its_twin_is_not(case: Case) -> None:
    assert {finding.code for finding in scan_text(case.text, "planted.py").findings} == case.wanted


def test_a_substitute_is_named_where_one_is_known() -> None:
    (finding,) = scan_text("import torch\ntorch.kthvalue(x, 2)", "x.py").findings
    assert "torch.sort, then index" in finding.do and "exact_except" in finding.do
