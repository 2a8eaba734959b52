"""What a checkpoint holds."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from samerun.errors import DamageError, RefusedError, UsageError
from samerun.run.run import Run
from samerun.run.tracked import Tracked
from samerun.state.digest import digest_tree


class Counter:
    """State of its own; `loses` names what its load_state_dict forgets."""

    def __init__(self, loses: str = "") -> None:
        self.state: dict[str, Any] = {"count": 0, "seen": np.zeros(2)}
        self._loses = loses

    def state_dict(self) -> dict[str, Any]:
        return self.state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.state = {key: self.state[key] if key == self._loses else value for key, value in state.items()}


def stored(tracked: Tracked) -> tuple[dict[str, Any], dict[str, str]]:
    trees = tracked.capture()
    return trees, {name: digest_tree(tree) for name, tree in trees.items()}


def test_states_come_back_in_order_and_are_checked() -> None:
    tracked, counter, rng = Tracked(), Counter(), random.Random(1)
    tracked.add({"counter": counter, "rng": rng})
    trees, digests = stored(tracked)
    wanted = rng.random()
    counter.state = {"count": 9, "seen": np.ones(2)}
    tracked.restore(trees, digests, "step-00000003")
    assert counter.state["count"] == 0 and rng.random() == wanted and tracked.names == ("counter", "rng")


@pytest.mark.parametrize("name", ["a b", "3", "", "a.b", "../up"])
def test_a_name_is_spelled_like_a_variable(name: str) -> None:
    with pytest.raises(UsageError, match="SR-RUN-009"):
        Tracked().add({name: Counter()})


def test_a_taken_name_is_refused_and_values_is_taken(start: Callable[..., Run]) -> None:
    with start() as run:
        run.track(counter=Counter())
        for name in ("counter", "values"):
            with pytest.raises(UsageError, match="SR-RUN-009"):
                run.track(**{name: Counter()})


@pytest.mark.parametrize("thing", [object(), 3, "text", lambda: 0, np.zeros(3)])
def test_a_thing_without_state_is_refused_where_it_is_tracked(thing: object) -> None:
    tracked = Tracked()
    with pytest.raises(UsageError):
        tracked.add({"thing": thing})
    assert tracked.names == ()


def test_tracking_inside_the_loop_is_refused(start: Callable[..., Run]) -> None:
    with start() as run:
        for _ in run.steps(1):
            with pytest.raises(RefusedError) as caught:
                run.track(late=Counter())
    assert caught.value.code == "SR-RUN-003" and "late" in caught.value.what


def test_an_object_that_does_not_take_back_its_state_is_named() -> None:
    tracked, counter = Tracked(), Counter(loses="count")
    tracked.add({"counter": counter})
    counter.state = {**counter.state, "count": 5}
    trees, digests = stored(tracked)
    counter.state = {**counter.state, "count": 0}
    with pytest.raises(DamageError) as caught:
        tracked.restore(trees, digests, "step-00000003")
    assert caught.value.code == "SR-RUN-011" and "counter" in caught.value.what


def test_a_checkpoint_with_other_components_is_refused_before_anything_is_loaded(start: Callable[..., Run]) -> None:
    with start(checkpoint={"every": 1}) as run:
        run.track(one=Counter())
        list(run.steps(2))
    counter = Counter()
    counter.state = {"count": -1, "seen": np.ones(2)}
    for names in ({}, {"two": counter}, {"one": counter, "two": Counter()}):
        with pytest.raises(UsageError) as caught, start() as again:
            again.track(**names)
            list(again.steps(3))
        assert caught.value.code == "SR-RUN-010"
    assert counter.state["count"] == -1


def test_the_digests_follow_the_objects() -> None:
    tracked, counter, model = Tracked(), Counter(), torch.nn.Linear(2, 2)
    tracked.add({"counter": counter, "model": model})
    first = tracked.digests()
    counter.state["count"] += 1
    second = tracked.digests()
    assert second["counter"] != first["counter"] and second["model"] == first["model"]
    with torch.no_grad():
        model.weight[0, 0] += 1
    assert tracked.digests()["model"] != first["model"] and tracked.nbytes() >= 24


def test_gradients_are_tracked_by_their_name() -> None:
    tracked, model = Tracked(), torch.nn.Linear(2, 1)
    tracked.add({"gradients": model})
    model(torch.ones(1, 2)).sum().backward()
    trees, digests = stored(tracked)
    trees = {"gradients": {key: value.clone() for key, value in trees["gradients"].items()}}
    model.zero_grad()
    tracked.restore(trees, digests, "here")
    assert model.weight.grad is not None and model.weight.grad.tolist() == [[1.0, 1.0]]


def test_modes_of_all_modules_inside_are_remembered() -> None:
    tracked, model = Tracked(), torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.Dropout())
    tracked.add({"model": model, "counter": Counter()})
    model[1].eval()
    modes = tracked.modes()
    model.train(), model[0].eval()
    modes.put_back()
    assert (model.training, model[0].training, model[1].training) == (True, True, False)


def test_a_copy_is_put_back_where_something_changed_and_the_rest_is_left_alone() -> None:
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    loads: list[object] = []

    class Still:
        def state_dict(self) -> dict[str, int]:
            return {"position": 3}

        def load_state_dict(self, state: object) -> None:
            loads.append(state)

    tracked = Tracked.of({"model": model, "optimizer": optimizer, "still": Still(), "generator": torch.Generator()})
    before, digests = tracked.copy(), tracked.digests()
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    model.eval()
    torch.rand(1, generator=tracked.objects["generator"])  # type: ignore[call-overload]
    assert tracked.digests() != digests
    tracked.put_back(before)
    assert (tracked.digests(), model.training, loads) == (digests, True, [])
    assert optimizer.state_dict()["state"] == {}
