"""The watch records the one step that was asked for, over all its micro-batches, and nothing of the others."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from samerun.record.trace import Trace
from samerun.rerun.mishap import Mishap, MishapWatch
from samerun.rerun.watching import TraceWatch, TraceWish, WalkWish, watch_of
from samerun.run.carried.watch import CarriedWatch
from samerun.run.step import Step
from samerun.run.tracked import Tracked
from samerun.streams.stream import StreamSource


@pytest.fixture
def tracked() -> Tracked:
    objects = Tracked()
    objects.add({"net": torch.nn.Linear(2, 1)})
    return objects


def watched(record: object, tracked: Tracked, path: Path, micros: int) -> None:
    watch = TraceWatch(TraceWish(1, path, 0), record, Path("/p"))  # type: ignore[arg-type]
    watch.attach(tracked)
    net = tracked.objects["net"]
    assert isinstance(net, torch.nn.Linear)
    for index in range(3):
        step = Step(index, StreamSource(7))
        for micro in step.micros(micros):
            watch.enter(step)
            net(torch.full((1, 2), float(micro)))
            if index == 1 and step.is_update:
                with torch.no_grad():
                    net.weight.add_(1)
            watch.leave(step)


@pytest.mark.parametrize("micros", [1, 3])
def test_one_step_is_recorded_with_the_states_around_it(
    record: object, tracked: Tracked, tmp_path: Path, micros: int
) -> None:
    made = record()  # type: ignore[operator]
    watched(made, tracked, tmp_path / "t.json", micros)
    trace = Trace.read(tmp_path / "t.json")
    assert (trace.run, trace.step) == (made.name, 1)
    assert [one.name for one in trace.operations].count("aten::addmm") == micros
    assert trace.before["net"] != trace.after["net"] == tracked.digests()["net"]


def test_a_command_line_asks_for_a_mishap_or_a_walk_or_nothing(tmp_path: Path) -> None:
    assert watch_of(None, None) is None
    assert isinstance(watch_of(Mishap(2).as_argument(), None), MishapWatch)
    assert isinstance(watch_of(None, WalkWish(tmp_path / "walk.json", 4)), CarriedWatch)
