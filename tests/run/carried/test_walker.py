"""The walk finds values by their paths, visits each object once, and runs nothing of the user's."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import torch

from samerun.run.carried.place import Place
from samerun.run.carried.usage import Usage
from samerun.run.carried.walker import Walker


class Thing:
    shared = 0

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


def walked(value: object, **facts: Any) -> dict[str, str]:
    """Path and what is shown of every leaf below `value`."""
    walker = Walker(Usage([sys._getframe()]))
    walker.start(value, Place("x", "local", "x", "save it", **facts))
    assert not walker.unseen
    return {path: leaf.shown for path, leaf in walker.leaves.items()}


def counter(start: int, box: list[int] = []) -> Callable[[], int]:  # noqa: B006 - what is looked at
    count = start

    def call(step: int = 3) -> int:
        nonlocal count
        count += step + len(box)
        return count

    return call


def test_objects_in_objects_and_containers_are_found() -> None:
    inner = Thing(n=1)
    found = walked(Thing(inner=inner, rows=[inner, Thing(n=2)], table={"a": Thing(n=3)}, plain=[1, 2]))
    assert found["x.inner.n"] == "1"
    assert found["x.rows[1].n"] == "2"
    assert found["x.table['a'].n"] == "3"
    assert found["x.plain"] == "[1, 2]"
    assert found["x.rows (length)"] == "2 items"
    assert found["class attribute Thing.shared"] == "0"
    assert "x.rows[0].n" not in found, "visited already, as x.inner"


def test_a_cycle_ends() -> None:
    thing = Thing()
    thing.me = thing  # type: ignore[attr-defined]
    assert "x.me" not in walked(thing)


def test_closures_defaults_and_partials_are_found() -> None:
    found = walked(functools.partial(counter(5)))
    assert found["closure of counter.call: count"] == "5"
    assert found["closure of counter.call: box"] == "[]"
    assert found["default of counter.call: step"] == "3"


def test_a_module_gives_what_its_state_dict_lacks() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 1))
    model[0].calls = 4  # type: ignore[assignment]
    model.register_buffer("lost", torch.tensor(1.5), persistent=False)
    model.register_buffer("kept", torch.tensor(2.5))
    found = walked(model, is_tracked=True, is_saved=True)
    assert found["x.0.calls"] == "4" and found["x.lost"] == "1.5"
    assert "x.kept" not in found and "x.0.weight" not in found
    assert "x.0.weight" in walked(model), "nobody tracks it"


def test_an_object_with_state_is_reported_as_a_whole() -> None:
    optim = torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], 0.25)
    walker = Walker(Usage([]))
    walker.start(optim, Place("loop local 'optim'", "local", "optim", "save it"))
    assert {leaf.owner for leaf in walker.leaves.values()} == {"loop local 'optim'"}
    assert {leaf.how_to_save for leaf in walker.leaves.values()} == {"run.track(optim=...)"}


def test_what_is_reserved_waits_for_its_own_name() -> None:
    meter = Thing(n=1)
    walker = Walker(Usage([]), [meter])
    walker.visit(Thing(meter=meter), Place("a", "local", "a", ""))
    assert "a.meter.n" not in walker.leaves
    walker.start(meter, Place("meter", "local", "meter", ""))
    assert walker.leaves["meter.n"].shown == "1"


def test_what_cannot_be_looked_into_is_listed() -> None:
    walker = Walker(Usage([]))
    walker.start(Thing(sparse=torch.eye(2).to_sparse()), Place("x", "local", "x", ""))
    assert list(walker.unseen) == ["x.sparse"]
