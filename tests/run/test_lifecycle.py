"""Stopping: signals in a real process, time limits, stop-after."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from samerun.base import clock
from samerun.run.lifecycle import SignalWatch, StopSwitch, limit_from

CHILD = """
import sys, time
from samerun.run.lifecycle import SignalWatch, StopSwitch
switch = StopSwitch()
watch = SignalWatch(switch, on_abort=lambda: print("aborting", flush=True))
assert watch.install()
print("ready", flush=True)
{body}
watch.uninstall()
print("left", switch.reason, flush=True)
"""
WAITS = "while switch.reason is None: time.sleep(0.01)"
BUSY_IN_C = "import numpy as np\nfor _ in range(40): np.linalg.svd(np.random.default_rng(0).normal(size=(700, 700)))"


def child(body: str) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", CHILD.format(body=body)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2])
def test_the_first_signal_asks_for_a_stop(number: signal.Signals) -> None:
    process = child(WAITS)
    process.send_signal(number)
    assert process.communicate(timeout=20)[0] == f"left {number.name}\n"
    assert process.returncode == 0


def test_a_second_signal_ends_the_process_with_130_while_busy_in_c() -> None:
    process = child(BUSY_IN_C)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert process.returncode == 130 and out == "aborting\n"


def test_uninstalling_puts_the_old_handlers_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    watch = SignalWatch(StopSwitch(), on_abort=lambda: None)
    assert watch.install()
    assert signal.getsignal(signal.SIGTERM) is not before
    watch.uninstall()
    watch.uninstall()
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_system_that_starts_no_thread_keeps_its_handlers(monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refusing)
    before = signal.getsignal(signal.SIGTERM), len(os.listdir("/proc/self/fd"))
    watch = SignalWatch(StopSwitch(), on_abort=lambda: None)
    with pytest.raises(RuntimeError):
        watch.install()
    watch.uninstall()
    assert (signal.getsignal(signal.SIGTERM), len(os.listdir("/proc/self/fd"))) == before


def test_outside_the_main_thread_nothing_is_installed() -> None:
    answers: list[bool] = []
    watch = SignalWatch(StopSwitch(), on_abort=lambda: None)
    thread = threading.Thread(target=lambda: answers.append(watch.install()))
    thread.start()
    thread.join()
    assert answers == [False]


def test_a_signal_reaches_the_switch_in_this_process() -> None:
    switch = StopSwitch()
    watch = SignalWatch(switch, on_abort=lambda: None)
    watch.install()
    os.kill(os.getpid(), signal.SIGUSR1)
    deadline = clock.monotonic() + 10
    while switch.reason is None and clock.monotonic() < deadline:
        clock.sleep(0.01)
    watch.uninstall()
    assert switch.reason == "SIGUSR1"


def test_the_first_reason_stands() -> None:
    switch = StopSwitch()
    switch.request("SIGTERM")
    switch.request("time limit")
    assert switch.reason == "SIGTERM"


def test_stop_after_asks_once_enough_steps_are_complete() -> None:
    switch = StopSwitch(stop_after=5)
    switch.note_step(0.1, 4)
    assert switch.reason is None
    switch.note_step(0.1, 5)
    assert switch.reason == "stop after step 5"


def test_a_time_limit_leaves_room_for_the_slowest_step_and_a_save() -> None:
    switch = StopSwitch(limit_seconds=100.0)
    switch.note_step(10.0, 1)
    assert switch.reason is None
    switch.slowest_save_seconds = 45.0
    switch.note_step(1.0, 2)
    assert switch.reason == "time limit"


def test_the_schedulers_end_counts_when_it_is_sooner() -> None:
    assert limit_from(None, None) is None
    assert limit_from(50.0, None) == 50.0
    assert limit_from(50.0, "not a number") == 50.0
    soon = limit_from(1000.0, str(int(clock.wall()) + 60))
    assert soon is not None and 50 < soon <= 60
