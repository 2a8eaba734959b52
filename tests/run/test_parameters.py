"""The parameter behind each number of an optimizer's state."""

from __future__ import annotations

from collections.abc import Callable

import torch

from samerun.checkpoint.store import latest
from samerun.run.parameters import parameter_names
from samerun.run.run import Run


def test_names_follow_the_groups_and_not_the_model() -> None:
    model, strange = torch.nn.Linear(2, 1), torch.nn.Parameter(torch.zeros(1))
    groups = [{"params": [model.bias, strange]}, {"params": [model.weight]}]
    optim = torch.optim.SGD(groups, 0.1, momentum=0.9)
    assert parameter_names({"optim": optim, "net": model}) == {"optim": ["net.bias", None, "net.weight"]}
    model(torch.ones(1, 2)).sum().backward()
    optim.step()
    slots = optim.state_dict()["state"]
    assert slots[2]["momentum_buffer"].shape == model.weight.shape and 1 not in slots


def test_a_shared_parameter_has_the_name_of_its_first_module() -> None:
    model = torch.nn.Linear(2, 1, bias=False)
    optim = torch.optim.SGD(model.parameters(), 0.1)
    assert parameter_names({"net": model, "twin": model, "optim": optim}) == {"optim": ["net.weight"]}


def test_a_checkpoint_keeps_the_names(start: Callable[..., Run]) -> None:
    with start(checkpoint={"every": 1}) as run:
        model = torch.nn.Linear(2, 1)
        run.track(model=model, optim=torch.optim.SGD(model.parameters(), 0.1))
        list(run.steps(1))
    found = latest(run.folder / "checkpoints")
    assert found is not None and found.index.extra["parameters"] == {"optim": ["model.weight", "model.bias"]}
