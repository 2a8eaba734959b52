"""The two ends of a live run: what each way out of its block means."""

from __future__ import annotations

import random
import signal
import threading
from collections.abc import Callable

import numpy as np
import pytest
import torch

from samerun.errors import RefusedError, Stopped
from samerun.record.manifest import Manifest, Status
from samerun.record.reader import RunRecord
from samerun.run.run import Run

Start = Callable[..., Run]
Train = Callable[..., RunRecord]


def manifest(run: Run) -> Manifest:
    return RunRecord.open(run.folder).manifest


def test_a_loop_that_came_to_its_end_is_completed(start: Start) -> None:
    with start() as run:
        for step in run.steps(2):
            step.log(x=0.5)
    now = manifest(run)
    assert (now.status, now.step, now.steps, now.metrics, now.reason) == ("completed", 2, 2, {"train/x": 0.5}, None)
    assert now.state_digest is not None and set(now.logs) == {"metrics", "trail", "events"}


def test_an_exception_is_a_failure_with_one_redacted_line(start: Start) -> None:
    with pytest.raises(ValueError), start() as run:
        for step in run.steps(3):
            if step.index == 1:
                raise ValueError("bad\nnews password=hunter2-canary")
    now = manifest(run)
    assert (now.status, now.step) == ("failed", 1)
    assert now.reason is not None and now.reason.startswith("ValueError: bad news") and "canary" not in now.reason


def test_the_state_of_a_body_that_was_left_has_no_digest(start: Start) -> None:
    with pytest.raises(ValueError), start("failed") as run:
        for _ in run.steps(3):
            run.values["half"] = True
            raise ValueError
    assert manifest(run).state_digest is None
    with start("broken") as broken:
        for _ in broken.steps(3):
            broken.values["half"] = True
            break
    assert (manifest(broken).status, manifest(broken).state_digest) == ("stopped", None)


def test_a_stop_is_raised_out_of_the_loop_and_code_after_it_does_not_run(start: Start) -> None:
    with pytest.raises(Stopped) as caught, start() as run:
        for step in run.steps(5):
            if step.index == 1:
                run.stop("enough for today")
        pytest.fail("code after the loop ran")
    now = manifest(run)
    assert caught.value.code == 75
    assert (now.status, now.step, now.steps) == ("stopped", 2, 5) and "enough for today" in str(now.reason)
    assert now.state_digest is not None
    assert (run.folder / "checkpoints" / "step-00000002").is_dir()


def test_a_signal_stops_at_the_next_boundary(start: Start) -> None:
    with pytest.raises(Stopped, match="SIGTERM"), start() as run:
        for _ in run.steps(1000):
            signal.raise_signal(signal.SIGTERM)
            threading.Event().wait(0.05)
    assert manifest(run).status is Status.STOPPED and 1 <= run.step <= 3


def test_a_keyboard_interrupt_is_an_interruption(start: Start) -> None:
    with pytest.raises(KeyboardInterrupt), start() as run:
        for _ in run.steps(2):
            raise KeyboardInterrupt
    assert manifest(run).status is Status.INTERRUPTED


def test_a_fresh_run_that_never_trains_is_closed_before_training(start: Start) -> None:
    with start("left") as run:
        pass
    assert manifest(run).status is Status.CLOSED_BEFORE_TRAINING
    with pytest.raises(ValueError), start("broken") as broken:
        raise ValueError("while building the model")
    assert manifest(broken).status is Status.FAILED


@pytest.mark.parametrize("stop_after", [2, None])
@pytest.mark.parametrize("error", [None, ValueError("while building the model")])
def test_a_run_that_was_opened_again_and_not_trained_stands_as_it_stood(
    train: Train, start: Start, stop_after: int | None, error: Exception | None
) -> None:
    before = train(4, options={"stop_after": stop_after})
    run = start()
    try:
        with run:
            if error is not None:
                raise error
    except ValueError:
        pass
    after = RunRecord.open(before.folder)
    for name in ("status", "step", "steps", "logs", "state_digest", "metrics", "reason", "identity"):
        assert getattr(after.manifest, name) == getattr(before.manifest, name), name
    assert list(after.metrics()) == list(before.metrics())
    assert train(5).manifest.status is Status.COMPLETED


def test_signals_and_global_generators_are_put_back(start: Start) -> None:
    handler = signal.getsignal(signal.SIGTERM)
    random.seed(1), np.random.seed(1), torch.manual_seed(1)
    wanted = random.random(), np.random.rand(), torch.rand(1).item()
    random.seed(1), np.random.seed(1), torch.manual_seed(1)
    with pytest.raises(ValueError), start() as run:
        for _ in run.steps(2):
            torch.rand(3)
            raise ValueError
    assert (random.random(), np.random.rand(), torch.rand(1).item()) == wanted
    assert signal.getsignal(signal.SIGTERM) is handler


def test_what_is_built_before_the_loop_is_drawn_from_the_seed(start: Start) -> None:
    drawn = []
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        torch.rand(1)
        with start(name, seed=seed):
            drawn.append((torch.rand(1).item(), random.random(), np.random.rand()))
    assert drawn[0] == drawn[1] and drawn[0] != drawn[2]


def test_the_lock_is_free_after_every_way_out(start: Start) -> None:
    for error in (None, ValueError, KeyboardInterrupt):
        try:
            with start() as run:
                next(run.steps(2))
                if error is not None:
                    raise error
        except BaseException as caught:  # noqa: BLE001
            assert type(caught) is error
        assert not RunRecord.open(run.folder).is_live


def test_a_loop_in_a_thread_that_ended_can_be_closed_from_another(start: Start) -> None:
    with start() as run:
        thread = threading.Thread(target=lambda: list(run.steps(2)))
        thread.start()
        thread.join()
    assert manifest(run).status is Status.COMPLETED


def test_closing_under_a_running_loop_of_another_thread_is_refused(start: Start) -> None:
    run = start()
    run.__enter__()
    inside, go = threading.Event(), threading.Event()

    def body() -> None:
        for _ in run.steps(1):
            inside.set()
            go.wait(10)

    thread = threading.Thread(target=body)
    thread.start()
    inside.wait(10)
    with pytest.raises(RefusedError, match="SR-RUN-001"):
        run.__exit__(None, None, None)
    go.set()
    thread.join()
    run.__exit__(None, None, None)
    assert manifest(run).status is Status.COMPLETED


def test_words_that_no_file_can_hold_do_not_take_the_place_of_what_happened(start: Start) -> None:
    words = "gone: caf\udce9.csv"
    with pytest.raises(ValueError, match="gone"), start("failed") as run:
        for _ in run.steps(1):
            raise ValueError(words)
    assert RunRecord.open(run.folder).manifest.reason == "ValueError: gone: caf\\udce9.csv"
    with pytest.raises(Stopped), start("stopped") as run:
        for _ in run.steps(2):
            run.stop(words)
    (event,) = [row for row in RunRecord.open(run.folder).events() if row["event"] == "stop"]
    assert event["reason"] == "gone: caf\\udce9.csv"
