"""The order of sets."""

from __future__ import annotations

import pytest
from planted_cases import Case, cases, name

from samerun.audit.scan import scan_text


@pytest.mark.parametrize("case", cases("SR121"), ids=name)
def test_what_is_planted_is_found_and_its_twin_is_not(case: Case) -> None:
    assert {finding.code for finding in scan_text(case.text, "planted.py").findings} == case.wanted


def test_texts_are_an_error_and_unknown_items_a_warning() -> None:
    texts, unknown = scan_text("def f(x, use):\n    use(*{'a', 'b'})\n    use(*set(x))", "x.py").findings
    assert (texts.grade, unknown.grade) == ("error", "warning")


def test_the_place_is_that_of_the_set_in_characters() -> None:
    (finding,) = scan_text("def f(use):\n    use('é', *{'a', 'b'})", "x.py").findings
    assert (finding.line, finding.column) == (2, 15)
