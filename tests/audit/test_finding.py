"""Findings as values: their place, their order, and the document they make."""

from __future__ import annotations

from samerun.audit.finding import Audit, Finding, Silenced, Skipped


def finding(path: str = "a.py", line: int = 1, code: str = "SR101", cell: int | None = None) -> Finding:
    return Finding(path, cell, line, 3, code, "warning", "what", "do")


def test_a_place_is_one_that_an_editor_goes_to() -> None:
    assert finding(line=7).place == "a.py:7:3"
    assert finding("a.ipynb", cell=2).place == "a.ipynb:cell 2:1:3"


def test_findings_sort_by_path_then_cell_then_line() -> None:
    given = [finding("b.py"), finding(line=10), finding(line=9), finding("a.ipynb", cell=2), finding("a.ipynb", cell=1)]
    assert [one.place for one in sorted(given, key=Finding.order)] == [
        "a.ipynb:cell 1:1:3",
        "a.ipynb:cell 2:1:3",
        "a.py:9:3",
        "a.py:10:3",
        "b.py:1:3",
    ]


def test_the_document_counts_by_code() -> None:
    answer = Audit((finding(code="SR121"), finding(code="SR101"), finding(code="SR101")), (), (), 1)
    assert answer.counts() == {"SR101": 2, "SR121": 1} and not answer.is_clean
    assert list(answer.as_json()) == ["findings", "counts", "files", "suppressed", "skipped"]


def test_what_is_silenced_keeps_its_reason() -> None:
    document = Audit((), (Silenced(finding(), "why"),), (Skipped("x", "hidden"),), 2).as_json()
    assert document["suppressed"][0]["reason"] == "why" and document["suppressed"][0]["code"] == "SR101"
    assert document["skipped"] == [{"path": "x", "reason": "hidden"}]
