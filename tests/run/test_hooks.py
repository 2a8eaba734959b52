"""External hooks: at most once for each step, whatever happens to the process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from samerun.errors import UsageError
from samerun.record.manifest import Status
from samerun.record.reader import RunRecord
from samerun.record.rows import iter_rows
from samerun.run.hooks import Hooks
from samerun.run.run import Run

Start = Callable[..., Run]


class Killed(BaseException):
    """Stands for a process that is gone."""


def turn(start: Start, steps: int, call: Callable[[int], None], *, every: int = 2, saves: int = 4) -> None:
    with start(checkpoint={"every": saves}) as run:
        run.hook("upload", every, call)
        for step in run.steps(steps):
            step.log(x=step.index)


def test_a_hook_is_called_with_the_completed_steps_of_each_multiple(start: Start) -> None:
    seen: list[int] = []
    turn(start, 7, seen.append, every=3)
    assert seen == [3, 6]


def test_a_repeated_step_does_not_do_its_hook_again(start: Start) -> None:
    seen: list[int] = []

    # Killed in step 7: the newest checkpoint is that of step 4, and the hook of step 6 is done.
    with pytest.raises(Killed), start(checkpoint={"every": 4}) as run:
        run.hook("upload", 2, seen.append)
        for step in run.steps(10):
            if step.index == 7:
                raise Killed
    assert seen == [2, 4, 6] and run.step == 7
    turn(start, 10, seen.append)
    assert seen == [2, 4, 6, 8, 10]
    assert [row["step"] for row in iter_rows(run.folder, "hooks_done")] == [2, 4, 6, 8, 10]


def test_a_hook_due_at_the_crash_is_done_once_on_resume(start: Start) -> None:
    def crashing(completed: int) -> None:
        if completed == 4:
            raise Killed

    seen: list[int] = []
    with pytest.raises(Killed):
        turn(start, 6, crashing)
    turn(start, 4, seen.append)
    turn(start, 6, seen.append)
    assert seen == [4, 6]


def test_a_hook_that_raises_ends_the_run_and_its_step_is_kept(start: Start) -> None:
    def failing(completed: int) -> None:
        raise ConnectionError("no route")

    with pytest.raises(ConnectionError):
        turn(start, 6, failing, saves=2)
    with start() as run:
        pass
    record = RunRecord.open(run.folder)
    assert record.manifest.status is Status.FAILED and "no route" in str(record.manifest.reason)
    assert len(list(record.metrics())) == 2


def test_a_hook_is_an_event_and_no_part_of_the_rows(start: Start) -> None:
    with start() as run:
        run.hook("upload", 1, lambda completed: None)
        list(run.steps(2))
    record = RunRecord.open(run.folder)
    assert [(row["name"], row["step"]) for row in record.events() if row["event"] == "hook"] == [
        ("upload", 1),
        ("upload", 2),
    ]
    assert "upload" not in str([*record.metrics(), *record.trail()])


def test_hooks_run_in_the_order_in_which_they_were_added(tmp_path: Path) -> None:
    hooks, seen = Hooks(tmp_path), []
    for name in ("b", "a"):
        hooks.add(name, 1, lambda completed, name=name: seen.append((name, completed)))  # type: ignore[misc]
    assert hooks.run_due(0, 1) == [] and hooks.run_due(1, 1) == ["b", "a"] and hooks.run_due(1, 1) == []
    hooks.close()
    assert seen == [("b", 1), ("a", 1)]


def test_a_taken_name_or_no_interval_is_refused(tmp_path: Path) -> None:
    hooks = Hooks(tmp_path)
    hooks.add("upload", 1, print)
    for name, every in (("upload", 2), ("other", 0)):
        with pytest.raises(UsageError) as caught:
            hooks.add(name, every, print)
        assert caught.value.code == "SR-RUN-006"
