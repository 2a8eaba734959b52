"""The reference is what `--help` says: usage and options on each page are written from the commands themselves."""

from __future__ import annotations

import pytest

import reference
from codebase import REPOSITORY
from samerun.cli.verbs import VERBS


def test_every_page_is_fresh() -> None:
    stale = [path.name for path, text in reference.wanted().items() if path.read_text("utf-8") != text]
    assert stale == [], "run `make reference`"


def test_every_verb_and_the_index_have_a_page() -> None:
    there = {path.stem for path in (REPOSITORY / "docs/reference").glob("*.md")}
    assert there == {*VERBS, "README"}


@pytest.mark.parametrize("verb", VERBS)
def test_a_page_says_more_than_the_help(verb: str) -> None:
    text = (REPOSITORY / f"docs/reference/{verb}.md").read_text("utf-8")
    by_hand = text.replace(reference.block(verb), "")
    assert "As a function:" in by_hand and len(by_hand.splitlines()) > 5


def test_a_stale_page_is_found() -> None:
    page = f"# `samerun ls`\n\n{reference.BEGIN}\nold\n{reference.END}\n\nby hand\n"
    filled = reference.filled(page, reference.block("ls"))
    assert filled != page and filled.endswith("\n\nby hand\n") and "`--where EXPR`" in filled
    assert reference.filled(filled, reference.block("ls")) == filled


def test_a_page_without_marks_gets_them_under_its_title() -> None:
    assert reference.filled("# title\n\nby hand\n", "X") == "# title\n\nX\n\nby hand\n"
