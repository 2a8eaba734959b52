"""A guard around a run: what it found is on disk, nothing of the run moves, and everything is put back."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samerun.errors import RefusedError, UsageError
from samerun.record.manifest import Status
from samerun.record.reader import RunRecord
from samerun.record.show import show
from samerun.run.guarding import guard_around, guard_for
from samerun.run.run import Run
from samerun.streams.guarded import standing

Start = Callable[..., Run]


def events(run: Run) -> list[dict[str, Any]]:
    return [row for row in RunRecord.open(run.folder).events() if row["event"] in ("guard", "guarded")]


def body(run: Run, step: Any) -> None:
    """Draw as much as a step may, and move the run by it."""
    run.values["noise"] = random.random() + float(np.random.standard_normal())
    step.log(noise=run.values["noise"])


def test_a_call_site_is_one_event_with_its_first_step_and_a_count(start: Start) -> None:
    with start(guard="record") as run:
        for epoch in run.epochs(3):
            order = random.sample(range(4), 4)
            for step, _ in epoch.steps(order):
                body(run, step)
    found, summary = events(run)
    assert (found["what"], found["step"], found["count"], found["place"]) == ("random.sample", 0, 3, "between steps")
    assert found["file"] == "test_guarding.py" and found["function"].startswith("test_a_call_site_is_one_event")
    assert (summary["mode"], summary["sites"], summary["times"]) == ("record", 1, 3)
    shown = show(run.folder).guarded
    assert shown is not None and (shown.mode, shown.times, len(shown.found)) == ("record", 3, 1)


def test_rows_and_identity_are_equal_under_every_guard(start: Start) -> None:
    texts = set()
    for number, guard in enumerate([None, "record", "raise"]):
        with start(f"run-{number}", guard=guard) as run:
            random.random()
            for step in run.steps(5):
                body(run, step)
                with run.evaluation("val") as evaluation:
                    evaluation.log(x=random.random())
        texts.add((run.identity, (run.folder / "trail.jsonl").read_bytes()))
    assert len(texts) == 1


def test_raising_stops_the_run_with_what_was_settled(start: Start) -> None:
    with pytest.raises(RefusedError) as caught, start(guard="raise", checkpoint={"every": 1}) as run:
        for step in run.steps(5):
            if step.index == 3:
                np.random.seed(1)
            body(run, step)
    assert caught.value.code == "SR-GUARD-003"
    record = RunRecord.open(run.folder)
    assert (record.status, record.manifest.step, len(list(record.trail()))) == (Status.FAILED, 3, 3)
    assert [row["event"] for row in events(run)] == ["guard", "guarded"]
    with start(checkpoint={"every": 1}) as again:
        for step in again.steps(5):
            body(again, step)
    assert again.folder == run.folder and again.step == 5


def test_a_refusal_that_the_body_swallowed_stops_the_run_before_its_step_is_settled(start: Start) -> None:
    with pytest.raises(RefusedError), start(guard="raise") as run:
        for step in run.steps(5):
            if step.index == 3:
                with pytest.raises(RefusedError):
                    random.seed(1)
            body(run, step)
    assert run.step == 3


@pytest.mark.parametrize("at", [2, 4])
def test_a_draw_in_another_thread_stops_the_loop_at_the_end_of_its_step(
    at: int, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    with pytest.raises(RefusedError) as caught, start(guard="raise") as run:
        for step in run.steps(5):
            body(run, step)
            if step.index == at:
                thread = threading.Thread(target=lambda: random.random())
                thread.start()
                thread.join()
    assert caught.value.code == "SR-GUARD-002" and run.step == at


def test_a_finding_behind_the_last_step_fails_a_run_that_raises(start: Start) -> None:
    with pytest.raises(RefusedError), start(guard="raise") as run:
        for step in run.steps(2):
            body(run, step)
        random.random()
    assert RunRecord.open(run.folder).status == Status.FAILED


def test_what_is_drawn_behind_a_break_has_no_step(start: Start) -> None:
    with start(guard="record") as run:
        for step in run.steps(5):
            body(run, step)
            if step.index == 2:
                break
        random.random()
    assert [row.get("step") for row in events(run)] == [2, None]


def test_what_happens_at_the_end_of_an_epoch_belongs_to_its_last_step(start: Start) -> None:
    with start(guard="raise") as run:
        for epoch in run.epochs(2):
            for step, _ in epoch.steps([1, 2]):
                body(run, step)
            random.random()
    assert run.step == 4


def test_hooks_and_sinks_may_draw(start: Start) -> None:
    class Jitter:
        def row(self, completed: int, target: int | None, row: Any) -> None:
            random.random()

        def close(self) -> None:
            random.random()

    with start(guard="raise", sinks=[Jitter()]) as run:
        run.hook("jitter", 1, lambda _: random.random() and None)
        for step in run.steps(3):
            body(run, step)
    assert [row["event"] for row in events(run)] == ["guarded"]


def test_a_loader_of_the_run_may_seed_and_draw_for_its_items(start: Start) -> None:
    def noisy(item: int) -> float:
        random.seed(item)
        return item + random.random() + float(np.random.rand())

    with start(guard="raise") as run:
        batches = run.loader(list(range(8)), batch_size=2, transform=noisy)
        run.track(batches=batches)
        for step in run.steps(3):
            next(batches)
            body(run, step)
    assert run.step == 3


@pytest.mark.parametrize("guard", ["record", "raise"])
def test_everything_is_put_back_also_on_an_exception(guard: str, start: Start) -> None:
    before = dict(vars(random)), dict(vars(np.random))
    for attempt in range(2):
        with pytest.raises(ZeroDivisionError), start(f"run-{attempt}", guard=guard) as run:
            for _ in run.steps(2):
                assert vars(random) != before[0]
                raise ZeroDivisionError
    assert (dict(vars(random)), dict(vars(np.random))) == before
    assert standing() is None


def test_a_run_without_a_guard_replaces_nothing(start: Start) -> None:
    before = dict(vars(random)), dict(vars(np.random))
    with start() as run:
        for _ in run.steps(1):
            assert (dict(vars(random)), dict(vars(np.random))) == before
    assert events(run) == [] and show(run.folder).guarded is None


def test_runs_in_a_guarded_script_have_findings_of_their_own(start: Start) -> None:
    with guard_around("record", Path(__file__).parent):
        for name in ("first", "second"):
            np.random.default_rng()
            with start(name, options={"guard": "record"}) as run:
                for step in run.steps(1):
                    body(run, step)
                if name == "first":
                    random.random()
            expected = 2 if name == "first" else 1
            assert [row["event"] for row in events(run)] == ["guard"] * expected + ["guarded"]
        assert standing() is not None
    assert standing() is None


def test_a_run_inside_a_run_has_a_guard_of_its_own(start: Start) -> None:
    with start("outer", guard="raise") as outer:
        for step in outer.steps(2):
            with start(f"inner-{step.index}", guard="record") as inner:
                for inner_step in inner.steps(1):
                    body(inner, inner_step)
            body(outer, step)
    assert events(outer)[-1]["sites"] == 0


def test_an_unknown_guard_is_refused_before_a_folder_is_made(start: Start, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        start(guard="log")
    assert caught.value.code == "SR-GUARD-006" and not (tmp_path / "runs").exists()
    assert guard_for(None, tmp_path) is None


def test_a_finding_before_the_run_closes_the_folder_of_a_run_that_raises(start: Start) -> None:
    with guard_around("record", Path(__file__).parent) as _:
        run = start(options={"guard": "record"})
        around = standing()
        assert around is not None
        around.findings.mode = "raise"
        np.random.mtrand._rand.random_sample()  # type: ignore[attr-defined]
        with pytest.raises(RefusedError), run:
            pass
    assert json.loads((run.folder / "manifest.json").read_text())["status"] == "failed"
