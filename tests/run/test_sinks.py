"""Sinks only watch."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from samerun.record.manifest import Status
from samerun.record.reader import RunRecord
from samerun.run.sinks import BarSink, PlainSink, Sinks


class Collecting:
    """Keeps what it is told; fails at the row number `fails_at`, or when it is closed."""

    def __init__(self, fails_at: int | None = None, fails_closing: bool = False) -> None:
        self.told: list[tuple[int, int | None, dict[str, Any]]] = []
        self.closed = 0
        self._fails_at = fails_at
        self._fails_closing = fails_closing

    def row(self, completed: int, target: int | None, row: Mapping[str, Any]) -> None:
        if completed == self._fails_at:
            raise OSError("no route to host, password=hunter2-canary")
        self.told.append((completed, target, dict(row)))

    def close(self) -> None:
        self.closed += 1
        if self._fails_closing:
            raise OSError("broken pipe")


def test_a_sink_gets_each_settled_row(train: Callable[..., RunRecord]) -> None:
    sink = Collecting()
    record = train(3, sinks=[sink])
    assert [told[:2] for told in sink.told] == [(1, 3), (2, 3), (3, 3)]
    assert [row["train/place"] for *_, row in sink.told] == [row["train/place"] for row in record.metrics()]
    assert sink.closed == 1


def test_a_sink_that_fails_is_closed_and_recorded_and_the_run_goes_on(train: Callable[..., RunRecord]) -> None:
    bad, good = Collecting(fails_at=2), Collecting()
    record = train(4, sinks=[bad, good])
    assert record.manifest.status is Status.COMPLETED
    assert ([told[0] for told in bad.told], bad.closed) == ([1], 1)
    assert ([told[0] for told in good.told], good.closed) == ([1, 2, 3, 4], 1)
    (event,) = [row for row in record.events() if row["event"] == "sink_failed"]
    assert event["sink"] == "Collecting" and "no route to host" in event["error"]
    assert "hunter2-canary" not in event["error"]


def test_a_sink_that_fails_at_the_end_hides_nothing(train: Callable[..., RunRecord]) -> None:
    last = Collecting()
    record = train(1, sinks=[Collecting(fails_at=1, fails_closing=True), Collecting(fails_closing=True), last])
    assert record.manifest.status is Status.COMPLETED and last.closed == 1


def test_a_sink_that_raises_more_than_an_error_is_not_silenced() -> None:
    class Interrupting(Collecting):
        def row(self, completed: int, target: int | None, row: Mapping[str, Any]) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Sinks([Interrupting()]).tell(1, None, {})


def test_the_plain_line_has_step_numbers_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samerun.run.sinks.PLAIN_SECONDS", 0.0)
    stream = io.StringIO()
    sink = PlainSink("walk", stream)
    sink.row(5, 10, {"step": 4, "train/loss": 0.25, "time/step_seconds": 9.0})
    sink.row(6, None, {"step": 5})
    first, second = stream.getvalue().splitlines()
    assert first.startswith("walk: step 5/10  loss 0.25  ") and first.endswith(" left") and "step_seconds" not in first
    assert second.startswith("walk: step 6  ") and "left" not in second


def test_the_plain_line_comes_every_30_seconds_only() -> None:
    stream = io.StringIO()
    sink = PlainSink("walk", stream)
    for completed in range(1, 5):
        sink.row(completed, 10, {})
    assert stream.getvalue() == ""


def test_the_bar_opens_with_the_first_row_and_ends_at_the_target(capsys: pytest.CaptureFixture[str]) -> None:
    sink = BarSink("walk")
    sink.close()
    assert capsys.readouterr().err == ""
    sink.row(1, 2, {"train/loss": 0.5})
    sink.row(2, 2, {"train/loss": 0.25})
    sink.close()
    assert "2/2" in capsys.readouterr().err
