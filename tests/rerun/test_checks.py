"""Where a resume is stopped when the user says so; the checks run as processes in tests/cli."""

from __future__ import annotations

from typing import Any

import pytest

from samerun.errors import UsageError
from samerun.rerun.checks import _asked, files_check
from samerun.rerun.splits import Split


def test_asked_splits_are_taken_in_order() -> None:
    assert _asked((7, 3), 9) == [Split(3, ("as asked",)), Split(7, ("as asked",))]
    assert _asked((), 9) == []


@pytest.mark.parametrize("step", [0, 9, 12])
def test_a_split_outside_the_run_is_refused_rather_than_left_out(step: int) -> None:
    with pytest.raises(UsageError, match="SR-VERIFY-002"):
        _asked((3, step), 9)


def test_a_run_with_a_damaged_log_is_not_whole(record: Any) -> None:
    made = record()
    assert files_check(made).verdict == "same"
    log = made.folder / "metrics.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"train/loss":1', b'"train/loss":2', 1))
    found = files_check(made)
    assert (found.verdict, "metrics.jsonl" in found.detail) == ("different", True)
