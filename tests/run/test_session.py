"""The run folder of a live run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from samerun.record.manifest import Status, read_manifest
from samerun.record.reader import RunRecord
from samerun.run.run import Run

Start = Callable[..., Run]
Train = Callable[..., RunRecord]


def test_a_running_manifest_lets_go_of_where_the_logs_ended(train: Train, start: Start) -> None:
    record = train(2)
    assert set(record.manifest.logs) == {"metrics", "trail", "events"}
    with start() as run:
        for _ in run.steps(3):
            now = read_manifest(run.folder)
            assert (now.status, now.logs, now.steps, now.attempt) == (Status.RUNNING, {}, 3, 2)
            assert RunRecord.open(run.folder).is_live
    assert read_manifest(run.folder).logs["metrics"].rows == 3


def test_an_aborted_run_says_so(start: Start) -> None:
    with start() as run:
        for _ in run.steps(1):
            run._session.abort()
            assert read_manifest(run.folder).status is Status.INTERRUPTED


def test_source_imported_in_the_loop_is_recorded_flagged_and_part_of_the_identity(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "project").mkdir(exist_ok=True)
    (tmp_path / "project" / "late_part.py").write_text("rate = 0.5\n")
    monkeypatch.syspath_prepend(str(tmp_path / "project"))
    monkeypatch.delitem(sys.modules, "late_part", raising=False)
    with start() as run:
        for step in run.steps(2):
            import late_part  # type: ignore[import-not-found]

            step.log(rate=late_part.rate)
    record = RunRecord.open(run.folder)
    assert record.manifest.late_imports == ("late_part.py",)
    assert record.identity.id == record.manifest.identity != record.manifest.opening
    assert "late_part.py" in record.identity.experiment["source"]["user"]
    assert [row["files"] for row in record.events() if row["event"] == "late_import"] == [["late_part.py"]]
    monkeypatch.delitem(sys.modules, "late_part")
    with start() as again:
        assert again.folder == run.folder and list(again.steps(2)) == []


def test_the_last_words_are_one_short_line(start: Start) -> None:
    with pytest.raises(ValueError), start() as run:
        raise ValueError("x\n" * 1000)
    reason = read_manifest(run.folder).reason
    assert reason is not None and len(reason) == 300 and "\n" not in reason
