"""What a step boundary stands on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from samerun.base import clock
from samerun.errors import Stopped
from samerun.record.manifest import Status
from samerun.record.reader import RunRecord
from samerun.run.boundary import SCHEDULER_END
from samerun.run.run import Run


def test_the_schedulers_end_stops_a_run_in_time(start: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SCHEDULER_END, str(int(clock.wall())))
    with pytest.raises(Stopped, match="time limit"), start() as run:
        for _ in run.steps(5):
            pytest.fail("no step fits before a job's end that is now")
    assert RunRecord.open(run.folder).manifest.status is Status.STOPPED


def test_a_time_limit_stops_with_a_checkpoint_that_the_next_start_goes_on_from(start: Callable[..., Run]) -> None:
    with pytest.raises(Stopped), start(options={"time_limit_seconds": 0.25}) as run:
        for _ in run.steps(1000):
            clock.sleep(0.05)
    assert 1 <= run.step < 10
    with start() as again:
        assert [step.index for step in again.steps(run.step + 1)] == [run.step]


def test_a_quiet_run_prints_nothing_and_a_loud_one_has_a_console(
    start: Callable[..., Run], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("samerun.run.sinks.PLAIN_SECONDS", 0.0)
    for name, is_quiet in (("quiet", True), ("loud", False)):
        with start(name, options={"is_quiet": is_quiet}) as run:
            list(run.steps(1))
    text = capsys.readouterr().err
    assert text.startswith("loud: step 1/1") and "quiet: step" not in text


def test_the_settings_of_one_command_reach_the_checkpoints(start: Callable[..., Run]) -> None:
    with start(checkpoint={"every": 1}, options={"checkpoint": (("every", 2),)}) as run:
        list(run.steps(3))
    assert sorted(path.name for path in (run.folder / "checkpoints").glob("step-*")) == [
        "step-00000000",
        "step-00000002",
        "step-00000003",
    ]
