"""Logs that are never cut."""

from __future__ import annotations

from pathlib import Path

from samerun.record.rows import iter_rows
from samerun.run.history import open_history


def add(folder: Path, number: int, attempt: int) -> None:
    log = open_history(folder, "events", attempt)
    log.append({"number": number})
    log.close()


def test_each_process_goes_on_at_the_end(tmp_path: Path) -> None:
    for attempt in (1, 2, 3):
        add(tmp_path, attempt, attempt)
    assert [row["number"] for row in iter_rows(tmp_path, "events")] == [1, 2, 3]


def test_a_torn_line_is_moved_out_of_the_way_and_kept(tmp_path: Path) -> None:
    add(tmp_path, 1, 1)
    path = tmp_path / "events.jsonl"
    path.write_bytes(path.read_bytes() + b'{"number":2')
    add(tmp_path, 3, 2)
    assert [row["number"] for row in iter_rows(tmp_path, "events")] == [1, 3]
    assert any(b'{"number":2' in kept.read_bytes() for kept in (tmp_path / "attempts").rglob("*") if kept.is_file())
