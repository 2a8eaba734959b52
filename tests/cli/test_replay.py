"""`samerun replay`: exit codes, the answer, and what a dry run says."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def test_a_step_is_made_again_and_compared(samerun: Any, made: Path) -> None:
    done = samerun("replay", "second", "--step", 4, "--json", cwd=made)
    assert done.code == 0, done.err
    document = done.document
    assert list(document)[:4] == ["schema", "verdict", "subject", "detail"]
    assert (document["schema"], document["verdict"]) == ("samerun.replay/1", "same")
    assert document["compared"]["steps"] == [4] and "state" in document["compared"]["parts"]


def test_a_step_that_never_happened_is_exit_5(samerun: Any, made: Path) -> None:
    done = samerun("replay", "second", "--step", 6, "--json", cwd=made)
    assert (done.code, done.error["code"]) == (5, "SR-REPLAY-001")
    assert samerun("replay", "second", "--step", 6, "--dry-run", cwd=made).code == 5


def test_a_dry_run_says_where_it_would_begin(samerun: Any, made: Path) -> None:
    done = samerun("replay", "second", "--step", 4, "--until", 5, "--dry-run", "--json", cwd=made)
    assert (done.code, done.document["from_checkpoint"], done.document["until"]) == (0, 4, 5)


def test_an_end_before_the_beginning_and_a_missing_step_are_wrong_usage(samerun: Any, made: Path) -> None:
    assert samerun("replay", "second", "--step", 4, "--until", 3, cwd=made).code == 2
    assert samerun("replay", "second", cwd=made).code == 2
