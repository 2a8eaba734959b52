"""The one loop: what is settled, when it stops, and how it ends."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from samerun.errors import RefusedError, Stopped, UsageError
from samerun.record.manifest import Status
from samerun.record.reader import RunRecord
from samerun.run.run import Run

Start = Callable[..., Run]
Train = Callable[..., RunRecord]


def indices(record: RunRecord) -> list[int]:
    return [row["step"] for row in record.metrics()]


def record_of(run: Run) -> RunRecord:
    return RunRecord.open(run.folder)


def test_no_steps_are_a_complete_run_of_length_0(start: Start) -> None:
    with start() as run:
        assert list(run.steps(0)) == []
    manifest = record_of(run).manifest
    assert (manifest.status, manifest.step, manifest.steps) == ("completed", 0, 0)
    assert (run.folder / "checkpoints" / "step-00000000").is_dir()


def test_fewer_steps_than_are_complete_are_none(train: Train, start: Start) -> None:
    train(4)
    with start() as run:
        assert list(run.steps(2)) == [] and run.step == 4
    assert indices(record_of(run)) == [0, 1, 2, 3]


def test_more_steps_train_on(train: Train) -> None:
    train(2)
    assert indices(train(4)) == [0, 1, 2, 3]


def test_two_loops_one_after_the_other_count_on(start: Start) -> None:
    with start() as run:
        assert [step.index for step in run.steps(2)] == [0, 1]
        assert [step.index for step in run.steps(5)] == [2, 3, 4]
    manifest = record_of(run).manifest
    assert (manifest.status, manifest.step, manifest.steps) == ("completed", 5, 5)


@pytest.mark.parametrize("stop_after", [1, 2, 3])
def test_a_stop_between_two_loops_begins_no_further_step(start: Start, stop_after: int) -> None:
    done: list[int] = []
    for _ in range(2):
        try:
            with start(options={"stop_after": stop_after if not done else None}) as run:
                done.extend(step.index for step in run.steps(2))
                done.extend(step.index for step in run.steps(4))
        except Stopped:
            assert run.step == stop_after
    assert indices(record_of(run)) == [0, 1, 2, 3]


def test_break_settles_nothing_of_the_step_it_leaves(start: Start) -> None:
    with start(checkpoint={"every": 1}) as run:
        for step in run.steps(5):
            step.log(x=1.0)
            if step.index == 2:
                break
        with run.evaluation("after") as evaluation:
            evaluation.log(x=1)
    assert indices(record_of(run)) == [0, 1] and record_of(run).manifest.status is Status.STOPPED
    assert (run.folder / "evaluations" / "after.json").exists()
    with start() as again:
        assert [step.index for step in again.steps(3)] == [2]


def test_finish_settles_the_step_under_way_and_completes_the_run(start: Start) -> None:
    with start() as run:
        for step in run.steps(100):
            step.log(x=step.index)
            if step.index == 2:
                run.finish()
    manifest = record_of(run).manifest
    assert (manifest.status, manifest.step, indices(record_of(run))) == ("completed", 3, [0, 1, 2])
    assert manifest.state_digest is not None and (run.folder / "checkpoints" / "step-00000003").is_dir()


def test_a_run_that_was_finished_yields_no_steps_when_it_is_started_again(start: Start) -> None:
    with start(checkpoint={"every": 1}) as run:
        for step in run.steps(100):
            if step.index == 2:
                run.finish()
    for steps in (100, 50):
        with start() as again:
            assert list(again.steps(steps)) == [] and again.step == 3
        assert record_of(again).manifest.status is Status.COMPLETED
    with start() as longer:
        assert next(longer.steps(101)).index == 3


@pytest.mark.parametrize("place", ["before", "after the step"])
def test_finish_outside_a_body_is_remembered_too(start: Start, place: str) -> None:
    with start(checkpoint={"every": 1}) as run:
        if place != "before":
            for _ in run.steps(2):
                pass
        run.finish()
        assert list(run.steps(9)) == []
    with start() as again:
        assert list(again.steps(1 if place == "before" else 2)) == []
    assert record_of(again).manifest.status is Status.COMPLETED


def test_finish_before_a_resumed_loop_keeps_what_was_stored(train: Train, start: Start) -> None:
    record = train(4, options={"stop_after": 2})
    with start() as run:
        run.finish()
        assert run.step == 2 and run.values["place"] > 0
    manifest = record_of(run).manifest
    assert (manifest.status, manifest.step) == ("completed", 2) and indices(record) == [0, 1]
    first = record.folder / "checkpoints" / "step-00000000" / "checkpoint.json"
    assert b'"step":0' in first.read_bytes()


def test_finish_inside_an_accumulation_window_is_refused(start: Start) -> None:
    with start() as run:
        for step in run.steps(3):
            for micro in step.micros(3):
                if micro == 1:
                    with pytest.raises(RefusedError, match="SR-RUN-012"):
                        run.finish()
            run.finish()
    assert run.step == 1


def test_a_stop_asked_for_in_the_last_step_changes_nothing(start: Start) -> None:
    with start() as run:
        for step in run.steps(3):
            if step.index == 2:
                run.stop()
    assert record_of(run).manifest.status is Status.COMPLETED


def test_stopping_beyond_the_end_is_completing(train: Train) -> None:
    assert train(3, options={"stop_after": 5}).manifest.status is Status.COMPLETED
    assert train(3, "exactly", options={"stop_after": 3}).manifest.status is Status.COMPLETED


def test_stopping_where_a_resumed_run_already_is_takes_no_step(train: Train) -> None:
    train(5, options={"stop_after": 3})
    again = train(5, options={"stop_after": 2})
    assert (again.manifest.status, again.manifest.step) == ("stopped", 3)


def test_a_stop_and_a_resume_at_every_step_leave_the_rows_of_an_uninterrupted_run(train: Train) -> None:
    def ambient(run: Run, step: Any) -> None:
        step.log(ambient=random.random() + float(np.random.rand()) + torch.rand(1).item())

    def rows(record: RunRecord) -> list[Any]:
        clean = [{k: v for k, v in row.items() if not k.startswith("time/")} for row in record.metrics()]
        return [clean, list(record.trail())]

    whole = train(3, "whole", body=ambient)
    for stop_after in (1, 2, None):
        parts = train(3, "parts", body=ambient, options={"stop_after": stop_after})
    assert rows(parts) == rows(whole)


def test_a_second_thread_cannot_turn_the_loop(start: Start) -> None:
    codes: list[str] = []

    def other(run: Run) -> None:
        for call in (lambda: next(run.steps(5)), run.finish):
            try:
                call()
            except RefusedError as error:
                codes.append(error.code)

    with start() as run:
        for step in run.steps(2):
            if step.index == 0:
                thread = threading.Thread(target=other, args=(run,))
                thread.start()
                thread.join()
    assert codes == ["SR-RUN-001"] * 2 and run.step == 2


def test_a_stop_from_another_thread_is_taken(start: Start) -> None:
    with pytest.raises(Stopped), start() as run:
        for _ in run.steps(5):
            thread = threading.Thread(target=run.stop)
            thread.start()
            thread.join()
    assert run.step == 1


def test_a_number_that_is_none_is_refused_at_the_boundary_and_its_step_is_not_settled(start: Start) -> None:
    with pytest.raises(UsageError, match="SR-RUN-007"), start() as run:
        for step in run.steps(3):
            step.log(x=0.5 if step.index == 0 else "text")
    manifest = record_of(run).manifest
    assert (manifest.status, manifest.step, indices(record_of(run))) == ("failed", 1, [0])


def test_restoring_before_the_loop_gives_the_stored_state_early(train: Train, start: Start) -> None:
    train(4, options={"stop_after": 2})
    with start() as run:
        run.restore()
        assert run.values["place"] > 0 and run.step == 2
        assert [step.index for step in run.steps(4)] == [2, 3]
    assert record_of(run).manifest.steps == 4
