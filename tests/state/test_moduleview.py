"""A module at every step: equal to the digest of its state_dict, whatever was replaced since the last time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from samerun.state.digest import digest_tree
from samerun.state.moduleview import ModuleView


def net() -> Any:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Sequential(nn.Linear(4, 2), nn.ReLU()))


def assign(model: Any) -> None:
    model[0].weight = nn.Parameter(torch.randn(4, 4))


def assign_equal(model: Any) -> None:
    model[0].weight = nn.Parameter(model[0].weight.detach().clone())
    with torch.no_grad():
        model[0].weight[0, 0] = 17


def data(model: Any) -> None:
    model[0].weight.data = torch.randn(4, 4)


def data_transposed(model: Any) -> None:
    model[0].weight.data = model[0].weight.data.t()


def buffer(model: Any) -> None:
    model[1].running_mean = torch.ones(4)


def new_buffer(model: Any) -> None:
    model[2].register_buffer("extra", torch.ones(2))


def buffer_not_saved(model: Any) -> None:
    model[1].register_buffer("running_var", model[1].running_var, persistent=False)


def buffer_to_none(model: Any) -> None:
    model[1].num_batches_tracked = None


def parameter_to_none(model: Any) -> None:
    model[0].bias = None


def submodule(model: Any) -> None:
    model[2][0] = nn.Linear(4, 2)


def deeper_submodule(model: Any) -> None:
    model[2][1] = nn.Linear(2, 2)


def new_submodule(model: Any) -> None:
    model.append(nn.Linear(2, 2))


def removed_submodule(model: Any) -> None:
    del model[2]


def renamed(model: Any) -> None:
    model[0]._parameters["w"] = model[0]._parameters.pop("weight")


def tied(model: Any) -> None:
    model[2].append(nn.Linear(4, 4))
    model[2][2].weight = model[0].weight


def halved(model: Any) -> None:
    model.half()


def loaded(model: Any) -> None:
    model.load_state_dict({name: torch.ones_like(value) for name, value in model.state_dict().items()})


def loaded_by_assignment(model: Any) -> None:
    model.load_state_dict({name: torch.ones_like(value) for name, value in model.state_dict().items()}, assign=True)


def in_shared_memory(model: Any) -> None:
    model.share_memory()


def parametrized(model: Any) -> None:
    torch.nn.utils.parametrizations.weight_norm(model[0])


def hooked(model: Any) -> None:
    model[0]._register_state_dict_hook(
        lambda module, state, prefix, meta: state.update({prefix + "hooked": torch.ones(1)})
    )


def pre_hooked(model: Any) -> None:
    model[0].register_state_dict_pre_hook(lambda module, prefix, keep: module.weight.data.add_(1))


def own_state_dict(model: Any) -> None:
    class Own(nn.Linear):
        def state_dict(self, *args: Any, **kwargs: Any) -> Any:
            state = super().state_dict(*args, **kwargs)
            state[kwargs["prefix"] + "own"] = torch.zeros(3)
            return state

    model[0].__class__ = Own


def extra_state(model: Any) -> None:
    class Extra(nn.Linear):
        def get_extra_state(self) -> Any:
            return {"n": 1}

    model[0] = Extra(4, 4)


def frozen(model: Any) -> None:
    model.requires_grad_(False)


def channels_last(model: Any) -> None:
    model[0] = nn.Conv2d(3, 4, 3).to(memory_format=torch.channels_last)  # type: ignore[call-overload]


def trained(model: Any) -> None:
    model(torch.ones(3, 4)).sum().backward()
    torch.optim.SGD(model.parameters(), 0.1).step()


CHANGES: list[Callable[[Any], None]] = [
    assign, assign_equal, data, data_transposed, buffer, new_buffer, buffer_not_saved, buffer_to_none,
    parameter_to_none, submodule, deeper_submodule, new_submodule, removed_submodule, renamed, tied, halved, loaded,
    loaded_by_assignment, in_shared_memory, parametrized, hooked, own_state_dict, extra_state, frozen, channels_last,
    trained,
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_the_digest_is_that_of_the_state_dict_after(change: Callable[[Any], None]) -> None:
    model = net()
    view = ModuleView(model)
    before = view.digest()
    assert before == digest_tree(model.state_dict()) == view.digest()
    change(model)
    after = view.digest()
    assert after == digest_tree(model.state_dict()) == view.digest()
    assert (after == before) == (change in (in_shared_memory, frozen))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(1)
    assert view.digest() == digest_tree(model.state_dict()) != after


def test_a_pre_hook_runs_each_time() -> None:
    model = net()
    view = ModuleView(model)
    assert view.digest()
    pre_hooked(model)
    assert view.digest() != view.digest()


def test_an_untied_parameter_is_seen() -> None:
    model = net()
    tied(model)
    view = ModuleView(model)
    before = view.digest()
    model[2][2].weight = nn.Parameter(model[0].weight.detach().clone())
    assert view.digest() == digest_tree(model.state_dict()) != before


def test_nbytes_counts_what_is_hashed() -> None:
    view = ModuleView(nn.Linear(3, 2))
    assert view.digest() and view.nbytes == 32


def test_a_module_without_tensors_has_a_digest() -> None:
    assert ModuleView(nn.ReLU()).digest() == digest_tree(nn.ReLU().state_dict())
