"""The watch looks at each boundary up to the last, and writes what it saw."""

from __future__ import annotations

from pathlib import Path

import torch

from samerun.record.walked import Walk
from samerun.run.carried.watch import CarriedWatch
from samerun.run.step import Step
from samerun.run.tracked import Tracked
from samerun.streams.stream import StreamSource


def watched(path: Path, until: int, micros: int = 1) -> Walk:
    model, tracked = torch.nn.Linear(1, 1), Tracked()
    tracked.add({"model": model})
    model.calls = 0  # type: ignore[assignment]
    watch = CarriedWatch(path, until)
    watch.attach(tracked)
    for index in range(4):
        step = Step(index, StreamSource(7))
        for _ in step.micros(micros):
            watch.enter(step)
            model.calls += 1  # type: ignore[assignment, operator]
            model(torch.ones(1, 1)).sum().backward()
            watch.leave(step)
    return Walk.read(path)


def test_every_boundary_is_looked_at_once_and_none_behind_the_last(tmp_path: Path) -> None:
    walk = watched(tmp_path / "walk.json", 3, micros=2)
    calls = {step: at.leaves["model.calls"].shown for step, at in walk.boundaries.items()}
    assert calls == {0: "0", 1: "2", 2: "4", 3: "6"}


def test_gradients_are_marked_at_the_step_that_uses_them(tmp_path: Path) -> None:
    walk = watched(tmp_path / "walk.json", 2)
    used = [step for step, at in walk.boundaries.items() if at.leaves["gradients of model"].is_updated]
    assert used == [1]


def test_behind_the_last_boundary_nothing_is_looked_at_again(tmp_path: Path) -> None:
    tracked = Tracked()
    tracked.add({"model": torch.nn.Linear(1, 1)})
    watch = CarriedWatch(tmp_path / "walk.json", 1)
    watch.attach(tracked)
    first, second = Step(0, StreamSource(7)), Step(1, StreamSource(7))
    watch.enter(first)
    watch.leave(first)
    last = watch._boundaries[1]
    watch.enter(second)
    assert watch._boundaries[1] is last
