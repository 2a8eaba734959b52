"""The digests of all components at every step equal those of their states, whatever they are."""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch

from samerun.state.digest import digest_tree
from samerun.state.moduleview import ModuleView
from samerun.state.optimizerview import OptimizerView
from samerun.state.restore import state_of
from samerun.state.treeview import TreeView
from samerun.state.view import StateView, view_of


def test_each_component_has_the_digest_of_its_state_at_every_step() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 1))
    optim = torch.optim.AdamW(model.parameters())
    schedule = torch.optim.lr_scheduler.MultiStepLR(optim, [2])
    average = torch.optim.swa_utils.AveragedModel(model)
    values: dict[str, Any] = {"seen": 0}
    scaler = torch.amp.GradScaler("cpu")
    components = {
        "model": model, "optim": optim, "schedule": schedule, "average": average, "values": values, "scaler": scaler,
        "counts": Counter(),
    }  # fmt: skip
    view = StateView(components)
    seen = set()
    for _ in range(4):
        model(torch.randn(5, 4)).sum().backward()
        optim.step()
        schedule.step()
        average.update_parameters(model)
        values["seen"] += 1
        digests = view.digests()
        assert digests == {name: digest_tree(state_of(thing)) for name, thing in components.items()}
        seen.add(tuple(digests.values()))
    assert len(seen) == 4
    assert view.nbytes > 0 and view.kind == "xxh3"


def test_modules_and_optimizers_have_views_of_their_own() -> None:
    model = torch.nn.Linear(1, 1)
    assert isinstance(view_of(model), ModuleView)
    assert isinstance(view_of(torch.optim.SGD(model.parameters(), 0.1)), OptimizerView)
    assert isinstance(view_of({}), TreeView)


def test_an_adapter_goes_before_everything_else() -> None:
    class Own:
        def knows(self, thing: object) -> bool:
            return isinstance(thing, torch.nn.Module)

        def state_of(self, thing: Any) -> object:
            return {"own": 1}

        def load_into(self, thing: Any, tree: Any) -> None:
            raise NotImplementedError

    assert StateView({"m": torch.nn.Linear(1, 1)}, (Own(),)).digests() == {"m": digest_tree({"own": 1})}
