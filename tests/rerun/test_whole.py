"""When a record can stand for the uninterrupted run, and which of several runs is meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from samerun.rerun.made import Making
from samerun.rerun.series import Series
from samerun.rerun.whole import Whole, compare_all, has_rows, meant_of, whole_of

STATE = {"model": "a"}


def series(tmp_path: Path, recipe: str = "digits") -> Series:
    return Series(Making(recipe), tmp_path, lambda text: None)


def test_a_record_stands_for_itself_where_one_process_made_it_and_every_state_is_there(
    record: Any, twin: Any, tmp_path: Path
) -> None:
    made = record(state=STATE)
    whole = whole_of(made, series(tmp_path), None)
    assert whole is not None and (whole.steps, whole.stop_after, whole.is_recorded) == (6, 6, True)
    shorter = whole_of(made, series(tmp_path), 4)
    assert shorter is not None and (shorter.steps, shorter.until) == (4, 4)
    assert whole_of(twin(made, attempt=2), series(tmp_path), None) is None, "a resume would be compared with a resume"
    assert whole_of(twin(made, state=None), series(tmp_path), None) is None
    assert whole_of(made, series(tmp_path, "train.py"), None) is None


def test_the_run_that_is_meant_has_the_name_of_the_record_or_is_the_last(record: Any, twin: Any) -> None:
    first = record()
    last = twin(first)
    assert meant_of([first, last], None) is last
    assert meant_of([first, last], last) is last


def test_runs_of_one_process_are_compared_one_by_one(record: Any, twin: Any) -> None:
    made = record(state=STATE)
    whole = Whole((made,), made, 6, None)
    assert compare_all(whole, [twin(made)]).verdict == "same"
    assert compare_all(whole, [twin(made, loss=2.0)]).verdict == "different"
    fewer = compare_all(whole, [])
    assert fewer.verdict == "different" and "one process made the runs tiny" in fewer.summary


def test_rows_that_cannot_be_compared_are_named(record: Any, twin: Any) -> None:
    made = record()
    assert has_rows(made, None) is None
    assert has_rows(twin(made, steps=0), None) == "the record holds no step"
    rows = (made.folder / "trail.jsonl").read_bytes().splitlines(keepends=True)
    (made.folder / "trail.jsonl").write_bytes(b"".join(rows[:-1]))
    assert "5 rows and its metrics 6" in str(has_rows(made, None))
    assert has_rows(made, 5) is None
