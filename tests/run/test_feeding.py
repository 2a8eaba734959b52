"""Loaders of a run: the trail notes each batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from samerun.errors import RefusedError
from samerun.record.reader import RunRecord
from samerun.run.run import Run

DATA = np.arange(10)


def fed(start: Callable[..., Run], name: str, *, ahead: int = 0, seed: int = 7) -> RunRecord:
    with start(name, seed=seed) as run:
        batches = run.loader(DATA, batch_size=4)
        run.track(batches=batches)
        for _ in range(ahead):
            next(batches)
        for step in run.steps(3):
            step.log(total=int(np.asarray(next(batches)).sum()))
    return RunRecord.open(run.folder)


def test_each_batch_has_a_digest_in_the_row_of_its_step(start: Callable[..., Run]) -> None:
    trail = list(fed(start, "one").trail())
    assert len({row["batch"] for row in trail}) == 3 and None not in {row["batch"] for row in trail}


def test_order_is_a_function_of_the_seed_alone(start: Callable[..., Run]) -> None:
    one, two, other = (
        [row["batch"] for row in fed(start, name, seed=seed).trail()] for name, seed in (("a", 7), ("b", 7), ("c", 8))
    )
    assert one == two != other


def test_a_batch_taken_before_the_loop_belongs_to_no_step(start: Callable[..., Run]) -> None:
    plain, ahead = list(fed(start, "plain").trail()), list(fed(start, "ahead", ahead=1).trail())
    assert [row["batch"] for row in ahead][:2] == [row["batch"] for row in plain][1:]


def test_what_order_drew_is_counted_in_the_step_that_consumes_the_batch(start: Callable[..., Run]) -> None:
    streams = [row["streams"] for row in fed(start, "one").trail()]
    assert streams[0]["data/order/epoch/{epoch}"] > 0
    assert "data/order/epoch/{epoch}" not in streams[1]


def test_the_content_of_arrays_is_an_input_of_the_run(start: Callable[..., Run]) -> None:
    assert list(fed(start, "one").identity.experiment["inputs"]) == ["dataset/data"]


def test_batches_of_an_evaluation_inside_a_step_are_none_of_the_step(start: Callable[..., Run]) -> None:
    trails = {}
    for name in ("plain", "watched"):
        with start(name) as run:
            batches, held_out = run.loader(DATA, batch_size=4), run.loader(DATA + 1, batch_size=5, name="val")
            run.track(batches=batches, held_out=held_out)
            for _ in run.steps(3):
                next(batches)
                if name == "watched":
                    with run.scope("look"):
                        pass
                    with run.evaluation("val"):
                        list(run.loader(DATA + 1, batch_size=5, name="val"))
        trails[name] = [(row["batch"], row["streams"]) for row in RunRecord.open(run.folder).trail()]
    assert trails["plain"] == trails["watched"]


class Holder:
    """Something of the user's that holds a loader, and its state with its own."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader

    def state_dict(self) -> dict[str, Any]:
        return {"loader": self.loader.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.loader.load_state_dict(state["loader"])


@pytest.mark.parametrize("way", ["not at all", "itself", "inside something"])
def test_a_step_takes_batches_only_from_a_loader_whose_position_is_saved(start: Any, way: str) -> None:
    with start() as run:
        loader = run.loader(np.arange(8), batch_size=4)
        if way != "not at all":
            run.track(batches=loader if way == "itself" else Holder(loader))
        for _ in run.steps(1):
            if way != "not at all":
                next(loader)
                continue
            with pytest.raises(RefusedError, match="SR-RUN-022"):
                next(loader)


def test_an_evaluation_reads_a_loader_that_is_not_tracked(start: Any) -> None:
    with start() as run:
        loader = run.loader(np.arange(8), batch_size=4)
        for _ in run.steps(1):
            with run.evaluation("watch") as evaluation:
                evaluation.log(total=int(next(loader).sum()))
