"""The user's part of a step: what looks on sees each body once, in every kind of loop."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from samerun.run.run import Run
from samerun.run.step import Step
from samerun.run.tracked import Tracked

Start = Callable[..., Run]


class Seen:
    """Notes which bodies were entered and left."""

    def __init__(self) -> None:
        self.moments: list[tuple[str, int, int]] = []
        self.names: tuple[str, ...] = ()

    def attach(self, tracked: Tracked) -> None:
        self.names = tracked.names

    def enter(self, step: Step) -> None:
        self.moments.append(("enter", step.index, step.micro))

    def leave(self, step: Step) -> None:
        self.moments.append(("leave", step.index, step.micro))


def test_every_body_of_run_steps_is_entered_and_left(start: Start) -> None:
    seen = Seen()
    with start(options={"watch": seen}) as run:
        for _ in run.steps(2):
            assert seen.moments[-1][0] == "enter"
    assert seen.moments == [("enter", 0, 0), ("leave", 0, 0), ("enter", 1, 0), ("leave", 1, 0)]


def test_every_micro_batch_of_an_epoch_has_a_body(start: Start) -> None:
    seen = Seen()
    with start(options={"watch": seen}) as run:
        batches = run.loader(np.arange(6), batch_size=2)
        run.track(batches=batches)
        for epoch in run.epochs(1):
            for _ in epoch.steps(batches, accumulate=2):
                assert seen.moments[-1][0] == "enter"
    assert [moment[1:] for moment in seen.moments if moment[0] == "enter"] == [(0, 0), (0, 1), (1, 0)]
    assert [moment[0] for moment in seen.moments] == ["enter", "leave"] * 3


@pytest.mark.parametrize("way", ["break", "error"])
def test_a_body_is_left_however_it_ends(start: Start, way: str) -> None:
    seen = Seen()

    def train(run: Run) -> Any:
        for _ in run.steps(2):
            if way == "break":
                break
            raise ValueError("planted")

    with start(options={"watch": seen}) as run, contextlib.suppress(ValueError):
        train(run)
    assert seen.moments == [("enter", 0, 0), ("leave", 0, 0)]
