"""What a resume refuses before anything runs; going on itself is tested as a process in tests/cli."""

from __future__ import annotations

from typing import Any

import pytest

from samerun.errors import MissingError, NoMatchError, UsageError
from samerun.record.manifest import Entry
from samerun.rerun.resume import resume


def test_what_cannot_be_started_again_is_named(record: Any) -> None:
    made = record(Entry("loop", (), "notebook.py"))
    with pytest.raises(MissingError, match="SR-RESUME-001"):
        resume(made.folder)


def test_a_script_takes_only_the_tables_that_every_loop_has(record: Any) -> None:
    made = record(files={"train.py": "raise SystemExit('it must not run')\n"})
    with pytest.raises(UsageError, match="SR-TRAIN-001"):
        resume(made.folder, ["rate=1"])


def test_a_run_that_is_not_there_is_no_match(record: Any) -> None:
    with pytest.raises(NoMatchError):
        resume("nobody", runs=record().folder.parent)
