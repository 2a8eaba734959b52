"""A training that cannot be made is an answer that says why, and keeps nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.record.manifest import Entry
from samerun.rerun.reproducing.choice import choose
from samerun.rerun.reproducing.making import make_ready
from samerun.rerun.reproducing.training import nothing_made, train_and_compare, why_no_rows


@pytest.mark.slow
def test_a_script_that_fails_here_cannot_be_said_of_and_its_error_is_told(record: Any, tmp_path: Path) -> None:
    made = record(Entry("script", (), "train.py"), files={"train.py": "open('no-such-data.csv')\n"})
    job = choose(made, here=True, fresh_environment=False, offline=False, trust=True)
    (tmp_path / "work").mkdir()
    ready = make_ready(job, tmp_path / "work", None, lambda text: None)
    found = train_and_compare(job, ready, tmp_path / "work", None, lambda text: None)
    assert (found.verdict, found.folder, found.used) == ("cannot_say", None, None)
    assert "no-such-data.csv" in found.summary


def test_a_record_without_steps_is_said_to_have_none(record: Any) -> None:
    made = record(steps=0)
    assert why_no_rows(made, None) == "the record holds no step"
    job = choose(made, here=True, fresh_environment=False, offline=False, trust=True)
    assert nothing_made(job, "x").as_json()["environment"] == {"used": None, "differences": []}
