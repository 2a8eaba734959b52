"""Promise 5: at every instant a complete checkpoint exists and `latest` means it; nothing is lost by a kill.

The fast suite takes a fixed sample of instants, the slow one takes all.
"""

import signal
from pathlib import Path
from typing import Any

import pytest
from promise_lab import Lab, content, only_run
from promise_loops import DIED

from samerun.checkpoint.store import latest
from samerun.record.reader import RunRecord
from samerun.streams.stream import Streams

LOOP = {"loop": "plain", "steps": 6, "checkpoint": {"every": 2, "keep": 1}}
SAMPLE = 12


@pytest.fixture(scope="module")
def whole(here: Lab, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return here.done("mishap", tmp_path_factory.mktemp("whole"), **LOOP)


@pytest.fixture(scope="module")
def operations(here: Lab, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    place = tmp_path_factory.mktemp("count")
    assert here.run("count_operations", place / "runs", answer=str(place / "seen"), **LOOP) == 0
    return (place / "seen").read_text().split("\n")


def die_and_go_on(here: Lab, runs: Path, number: int, whole: dict[str, Any]) -> None:
    assert here.run("mishap", runs, die_at=number, **LOOP) == DIED
    assert_nothing_is_rubble(runs)
    assert here.done("mishap", runs, **LOOP) == whole, f"killed before operation {number}"


def assert_nothing_is_rubble(runs: Path) -> None:
    for folder in runs.glob("*-????????"):
        if (folder / "manifest.json").exists():
            found = latest(folder / "checkpoints")
            began = (folder / "checkpoints" / "step-00000000").exists()
            assert (found is not None) == began


def test_a_kill_before_a_sample_of_all_operations_on_files(
    here: Lab, tmp_path: Path, whole: dict[str, Any], operations: list[str]
) -> None:
    assert {"write", "fsync", "rename", "mkdir"} <= set(operations)
    for number in range(0, len(operations), max(1, len(operations) // SAMPLE)):
        die_and_go_on(here, tmp_path / str(number), number, whole)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_a_kill_before_every_operation_on_files(
    here: Lab, tmp_path: Path, whole: dict[str, Any], operations: list[str]
) -> None:
    for number in range(len(operations)):
        die_and_go_on(here, tmp_path / str(number), number, whole)


def kill_and_go_on(here: Lab, runs: Path, seconds: float, whole: dict[str, Any]) -> None:
    code = here.run("mishap", runs, signals=[[int(signal.SIGKILL), seconds]], slow=0.03, **LOOP)
    assert code in (0, -signal.SIGKILL), here.words
    assert here.done("mishap", runs, **LOOP) == whole, f"killed after {seconds} s"


def instants(number: int) -> list[float]:
    return [float(value) for value in Streams(5).stream("kill instants").uniform(number) * 0.8]


def test_kill_9_at_random_instants(here: Lab, tmp_path: Path, whole: dict[str, Any]) -> None:
    for number, seconds in enumerate(instants(6)):
        kill_and_go_on(here, tmp_path / str(number), seconds, whole)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_kill_9_at_two_hundred_random_instants(here: Lab, tmp_path: Path, whole: dict[str, Any]) -> None:
    for number, seconds in enumerate(instants(200)):
        kill_and_go_on(here, tmp_path / str(number), seconds, whole)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
def test_a_signal_stops_at_a_step_boundary_with_a_checkpoint(
    here: Lab, tmp_path: Path, whole: dict[str, Any], number: signal.Signals
) -> None:
    assert here.run("mishap", tmp_path, signal_at=3, signal=int(number), **LOOP) == 75
    folder = only_run(tmp_path)
    record = RunRecord.open(folder)
    assert (
        str(record.status) == "stopped" and record.manifest.reason is not None and number.name in record.manifest.reason
    )
    found = latest(folder / "checkpoints")
    assert found is not None and found.step == record.manifest.step
    assert here.done("mishap", tmp_path, **LOOP) == whole


def test_a_second_signal_aborts_with_130_and_loses_nothing(here: Lab, tmp_path: Path, whole: dict[str, Any]) -> None:
    assert here.run("mishap", tmp_path, signal_at=3, signal=int(signal.SIGINT), times=2, **LOOP) == 130
    assert str(RunRecord.open(only_run(tmp_path)).status) == "interrupted"
    assert here.done("mishap", tmp_path, **LOOP) == whole


def test_a_signal_to_the_whole_group_does_not_break_the_step_with_workers(here: Lab, tmp_path: Path) -> None:
    options = {**LOOP, "workers": 2}
    sent = {"signal_at": 3, "signal": int(signal.SIGTERM), "to_group": True}
    assert here.run("mishap_in_a_group", tmp_path / "a", **sent, **options) == 75, here.words
    assert here.done("mishap", tmp_path / "a", **options) == here.done("mishap", tmp_path / "b", **options)


def test_a_full_disk_stops_the_run_with_one_error_and_the_run_goes_on_later(
    here: Lab, tmp_path: Path, whole: dict[str, Any], operations: list[str]
) -> None:
    late = len(operations) * 2 // 3
    assert here.run("mishap", tmp_path, fail_at=late, errno=28, **LOOP) == 4, here.words
    assert "SR-FILE-001" in here.words
    assert content(only_run(tmp_path))["status"] in ("failed", "running")
    assert here.done("mishap", tmp_path, **LOOP) == whole
