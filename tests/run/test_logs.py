"""The logs of a live run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.errors import DamageError
from samerun.record.rows import iter_rows
from samerun.run.logs import Logs


def write(logs: Logs, first: int, last: int) -> None:
    for number in range(first, last):
        logs.write({"step": number}, {"step": number})


def begun(folder: Path, marks: dict[str, Any] | None = None, attempt: int = 1) -> Logs:
    logs = Logs(folder, attempt)
    logs.begin(marks)
    return logs


def numbers(folder: Path, name: str) -> list[int]:
    return [row["step"] for row in iter_rows(folder, name)]


def test_metrics_and_trail_are_cut_to_the_checkpoint_and_events_are_not(tmp_path: Path) -> None:
    logs = begun(tmp_path)
    write(logs, 0, 2)
    marks = logs.sync()
    write(logs, 2, 5)
    logs.event("note", step=5)
    logs.close()
    again = begun(tmp_path, marks, attempt=2)
    again.close()
    assert numbers(tmp_path, "metrics") == numbers(tmp_path, "trail") == [0, 1]
    assert [row["event"] for row in iter_rows(tmp_path, "events")] == ["note"]
    kept = b"".join(path.read_bytes() for path in (tmp_path / "attempts").rglob("*") if path.is_file())
    assert kept.count(b'"step":4') == 2


@pytest.mark.parametrize("name", ["metrics", "trail", "events"])
def test_a_log_that_is_shorter_than_at_the_checkpoint_is_damage(name: str, tmp_path: Path) -> None:
    logs = begun(tmp_path)
    write(logs, 0, 3)
    logs.event("note")
    marks = logs.sync()
    logs.close()
    path = tmp_path / f"{name}.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    again = Logs(tmp_path, 2)
    with pytest.raises(DamageError):
        again.begin(marks)
    again.close()


def test_where_each_log_ends_is_told_once_the_first_step_came(tmp_path: Path) -> None:
    logs = Logs(tmp_path, 1)
    assert not logs.is_begun and set(logs.sync()) == {"events"}
    assert logs.close() == {}
    again = begun(tmp_path, attempt=2)
    write(again, 0, 2)
    assert again.is_begun
    marks = again.close()
    assert {name: mark.rows for name, mark in marks.items()} == {"metrics": 2, "trail": 2, "events": 0}


def test_an_event_says_which_process_it_happened_to(tmp_path: Path) -> None:
    logs = Logs(tmp_path, 3)
    logs.event("note", text="token=hunter2-canary")
    logs.close()
    (row,) = iter_rows(tmp_path, "events")
    assert row["attempt"] == 3 and "at" in row


def test_what_happens_after_the_close_is_no_event_of_the_run(tmp_path: Path) -> None:
    logs = Logs(tmp_path, 1)
    logs.close()
    logs.event("worker_restarted", reason="a loader that outlives its run")
    assert list(iter_rows(tmp_path, "events")) == []
