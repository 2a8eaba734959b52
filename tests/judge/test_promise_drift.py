"""A diff names the lines that moved under a run which went on by an allowed drift."""

from __future__ import annotations

from collections.abc import Callable

from samerun.base.sealed import write_sealed
from samerun.judge.diff import diff
from samerun.judge.promise import drift_notes
from samerun.record.reader import RunRecord


def with_drift(record: RunRecord, *files: dict[str, object]) -> RunRecord:
    moved = [{"group": "experiment", "path": "source.samerun", "files": list(files)}, {"path": "threads"}]
    segments = [{"number": 1, "moved": moved}]
    write_sealed(record.folder / "drift.json", {"schema": "samerun.drift", "format": 1, "segments": segments})
    return RunRecord.open(record.folder)


def file(name: str, old: str | None, new: str | None, change: str = "changed") -> dict[str, object]:
    first = None if old is None and new is None else {"line": 3, "old": old, "new": new}
    return {"path": name, "change": change, "first": first, "reason": None}


def test_each_file_is_named_with_its_line(record: Callable[..., RunRecord]) -> None:
    drifted = with_drift(
        record(), file("user/net.py", "x = 1", "x = 2"), file("user/a.py", None, "y"), file("own/b.py", None, None)
    )
    assert list(drift_notes("b", drifted)) == [
        "b went on with another net.py:3: 'x = 1' before, 'x = 2' after",
        "b went on with another a.py:3: no such line before, 'y' after",
        "b went on with another b.py: changed",
    ]
    assert any("net.py:3" in note for note in diff(record(), drifted).notes)


def test_many_are_counted_and_a_run_without_drift_has_none(record: Callable[..., RunRecord]) -> None:
    assert list(drift_notes("a", record())) == []
    drifted = with_drift(record(), *(file(f"user/{number}.py", "a", "b") for number in range(7)))
    assert "2 more files" in list(drift_notes("a", drifted))[-1]
