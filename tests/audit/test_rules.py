"""Every code of an audit has at least three planted sources and three near-miss twins, and a section in the guide."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from planted_cases import cases, every_code

from samerun.audit.rules import RULES
from samerun.errors import code_pages

FINDINGS = [code for code in code_pages() if re.fullmatch(r"SR\d{3}", code)]
FILE_ITSELF = "SR100"
"""What cannot be read is no text to plant; test_source.py and test_scan.py show it."""


def test_every_code_is_planted() -> None:
    assert every_code() == [code for code in FINDINGS if code != FILE_ITSELF]


@pytest.mark.parametrize("code", every_code())
def test_a_code_has_three_sources_and_three_twins(code: str) -> None:
    planted = [case.is_found for case in cases(code)]
    assert planted.count(True) >= 3 and planted.count(False) >= 3


def test_every_code_has_a_section_with_its_title(repository: Path) -> None:
    text = (repository / "docs/guides/audit-codes.md").read_text("utf-8")
    sections = dict(re.findall(r"^## (SR\d{3}): (.+)$", text, re.M))
    assert sections == {code: code_pages()[code].title for code in FINDINGS}


def test_no_rule_stands_twice() -> None:
    assert len(set(RULES)) == len(RULES)
