"""What happens at a step boundary, in one order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samerun.base import files
from samerun.record.reader import RunRecord
from samerun.run.run import Run

Start = Callable[..., Run]
Train = Callable[..., RunRecord]


@pytest.fixture
def operations() -> Iterator[list[str]]:
    seen: list[str] = []
    files.on_operation(lambda operation, path: seen.append(f"{operation} {path.name}"))
    yield seen
    files.on_operation(None)


def first(seen: list[str], part: str) -> int:
    return next(index for index, one in enumerate(seen) if part in one)


def test_rows_come_before_the_checkpoint_and_the_checkpoint_before_hooks_and_sinks(
    start: Start, operations: list[str]
) -> None:
    class Telling:
        def row(self, completed: int, target: int | None, row: Any) -> None:
            operations.append("the sink")

        def close(self) -> None: ...

    with start(checkpoint={"every": 1}, sinks=[Telling()]) as run:
        run.hook("tell", 1, lambda completed: operations.append("the hook"))
        for step in run.steps(1):
            step.log(x=1)
            operations.clear()
    order = [
        first(operations, part)
        for part in (
            "write metrics.jsonl",
            "write trail.jsonl",
            "fsync metrics.jsonl",
            "write checkpoint.json",
            "the hook",
            "the sink",
        )
    ]
    assert order == sorted(order)


def test_a_checkpoint_stands_on_rows_that_are_synced(start: Start, operations: list[str]) -> None:
    with start(checkpoint={"every": 1}) as run:
        for _ in run.steps(1):
            operations.clear()
    for name in ("metrics", "trail", "events"):
        assert first(operations, f"fsync {name}.jsonl") < first(operations, "checkpoint.json")


@pytest.mark.parametrize(("every", "digested"), [(0, []), (1, [0, 1, 2, 3]), (2, [0, 2]), ("auto", [0, 1, 2, 3])])
def test_the_trail_is_thinned_as_asked_and_nothing_else_changes(
    train: Train, every: object, digested: list[int]
) -> None:
    record = train(4, trail={"state_every": every})
    trail = list(record.trail())
    assert [row["step"] for row in trail if row["state"] is not None] == digested
    assert all(row["loss"] is not None and row["ambient"] for row in trail)
    assert record.manifest.state_digest is not None


def test_auto_thins_in_proportion_to_the_bytes(train: Train, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samerun.run.settle.TRAIL_BYTES", 100)

    def body(run: Run, step: Any) -> None:
        run.values["big"] = np.zeros(32)

    record = train(7, body=body)
    assert [row["step"] for row in record.trail() if row["state"] is not None] == [0, 3, 6]


def test_the_manifest_has_the_newest_value_of_each_number_also_after_a_resume(start: Start) -> None:
    for steps in (2, 3):
        with start(checkpoint={"every": 1}) as run:
            for step in run.steps(steps):
                step.log(often=step.index)
                if step.index == 0:
                    step.log(once=float("nan"))
    assert RunRecord.open(run.folder).manifest.metrics == {"train/often": 2, "train/once": "NaN"}


def test_a_resume_is_an_event_and_leaves_no_trace_in_the_rows(train: Train) -> None:
    whole = train(3, "whole")
    train(3, "parts", options={"stop_after": 2})
    parts = train(3, "parts")
    assert [(row["event"], row["step"]) for row in parts.events()] == [("stop", 2), ("resume", 2)]
    assert list(parts.trail()) == list(whole.trail())


def test_a_crash_behind_a_checkpoint_cuts_the_rows_back_to_it_and_keeps_them(start: Start, train: Train) -> None:
    with pytest.raises(ValueError), start(checkpoint={"every": 2}) as run:
        for step in run.steps(6):
            step.log(x=step.index)
            if step.index == 3:
                raise ValueError
    assert len(list(RunRecord.open(run.folder).metrics())) == 3
    with start(checkpoint={"every": 2}) as again:
        assert [step.index for step in again.steps(6)] == [2, 3, 4, 5]
    assert [row["step"] for row in RunRecord.open(run.folder).metrics()] == list(range(6))
    kept = [path for path in (run.folder / "attempts").rglob("*") if path.is_file()]
    assert any(b'"train/x":2' in path.read_bytes() for path in kept)


def test_restoring_draws_from_nothing_that_the_loop_sees(start: Start, tmp_path: Path) -> None:
    class Drawing:
        def state_dict(self) -> dict[str, Any]:
            return {"x": 1}

        def load_state_dict(self, state: dict[str, Any]) -> None:
            np.random.rand(3)

    before = []
    for steps in (1, 2):
        with start(checkpoint={"every": 1}) as run:
            run.track(drawing=Drawing())
            run.restore()
            before.append(np.random.rand())
            list(run.steps(steps))
    assert before[0] == before[1]


def test_the_first_number_that_is_none_is_warned_of_once_and_is_an_event(
    start: Start, capsys: pytest.CaptureFixture[str]
) -> None:
    with start() as run:
        for step in run.steps(4):
            step.log(loss=float("nan") if step.index > 1 else 1.0, count=3)
            if step.index == 3:
                step.log(late=float("nan"))
    assert capsys.readouterr().err.count("is NaN") == 1
    record = RunRecord.open(run.folder)
    (event,) = [row for row in record.events() if row["event"] == "not_a_number"]
    assert (event["step"], event["columns"], record.manifest.status) == (2, ["train/loss"], "completed")
