"""What an evaluation refuses before torch is asked; measuring is tested as a process in tests/cli."""

from __future__ import annotations

from typing import Any

import pytest

from samerun.errors import UsageError
from samerun.record.manifest import Entry
from samerun.rerun.evaluate import evaluate


def test_a_tag_is_a_plain_name(record: Any) -> None:
    made = record(Entry("recipe", (), "digits.yaml"))
    with pytest.raises(UsageError, match="SR-RECORD-001"):
        evaluate(made.folder, tag="../outside")


def test_the_run_of_a_script_is_not_evaluated_here(record: Any) -> None:
    with pytest.raises(UsageError, match="SR-EVALUATE-001"):
        evaluate(record().folder)
