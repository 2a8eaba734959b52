"""A run says in one line which commit it came from, how dirty the tree was, and whether all of it is stored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from samerun.base.sealed import read_sealed, write_sealed
from samerun.record import layout
from samerun.record.origin import SourceFacts, source_facts
from samerun.record.reader import RunRecord

FACTS = SourceFacts("0123456789abcdef", "trunk", True, 2, None, True, (), 0, ())


def test_the_line_names_commit_branch_dirt_and_what_is_missing() -> None:
    assert str(FACTS) == "commit 0123456789ab on trunk, 2 uncommitted changes; all stored"
    other = SourceFacts(None, None, False, 0, "not a git repository", False, ("a: too large", "b: x"), 2, ())
    assert str(other) == "not a git repository; not all stored: a: too large and 1 more"


def test_a_record_gives_its_facts_and_an_older_one_none(make_run: Callable[..., Path]) -> None:
    folder = make_run()
    found = source_facts(RunRecord.open(folder))
    assert found is not None and found.is_complete and found.reason == "not a git repository"
    document = read_sealed(folder / layout.SOURCE)
    write_sealed(
        folder / layout.SOURCE, {key: value for key, value in document.items() if key not in ("git", "digest")}
    )
    assert source_facts(RunRecord.open(folder)) is None
    (folder / layout.SOURCE).unlink()
    assert source_facts(RunRecord.open(folder)) is None
