"""An optimizer at every step: equal to the digest of its state_dict, whatever was replaced since the last time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from samerun.state.digest import digest_tree
from samerun.state.optimizerview import OptimizerView


def build(make: Callable[[Any], Any] | None = None, steps: int = 2) -> tuple[Any, Any]:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 2))
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3) if make is None else make(list(model.parameters()))
    for _ in range(steps):
        step(model, optimizer)
    return model, optimizer


def step(model: Any, optimizer: Any) -> None:
    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss: torch.Tensor = model(torch.ones(2, 3)).square().sum()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    optimizer.step(closure)


def first(optimizer: Any) -> dict[str, Any]:
    slots: dict[str, Any] = next(iter(optimizer.state.values()))
    return slots


def rate(o: Any) -> None:
    o.param_groups[0]["lr"] = 0.5


def rate_one_ulp(o: Any) -> None:
    o.param_groups[0]["lr"] = float(np.nextafter(1e-3, 1))


def rate_int(o: Any) -> None:
    o.param_groups[0]["lr"] = 1


def rate_numpy(o: Any) -> None:
    o.param_groups[0]["lr"] = np.float64(1e-3)


def rate_tensor(o: Any) -> None:
    o.param_groups[0]["lr"] = torch.tensor(1e-3)


def betas(o: Any) -> None:
    o.param_groups[0]["betas"] = (0.5, 0.9)


def betas_list(o: Any) -> None:
    o.param_groups[0]["betas"] = list(o.param_groups[0]["betas"])


def new_setting(o: Any) -> None:
    o.param_groups[0]["initial_lr"] = 1e-3


def new_group(o: Any) -> None:
    o.add_param_group({"params": [torch.zeros(2, requires_grad=True)], "lr": 0.1})


def parameter_added(o: Any) -> None:
    o.param_groups[0]["params"].append(torch.zeros(2, requires_grad=True))


def parameters_swapped(o: Any) -> None:
    o.param_groups[0]["params"].reverse()


def slot(o: Any) -> None:
    first(o)["exp_avg"] = torch.ones(4, 3)


def slot_data(o: Any) -> None:
    first(o)["exp_avg"].data = torch.ones(4, 3)


def slot_dtype(o: Any) -> None:
    first(o)["exp_avg"] = first(o)["exp_avg"].double()


def slot_plain(o: Any) -> None:
    first(o)["step"] = 3


def slot_new(o: Any) -> None:
    first(o)["more"] = torch.zeros(1)


def slot_gone(o: Any) -> None:
    del first(o)["exp_avg"]


def slots_gone(o: Any) -> None:
    o.state.pop(next(iter(o.state)))


def cleared(o: Any) -> None:
    o.state.clear()


def reloaded(o: Any) -> None:
    o.load_state_dict({**o.state_dict(), "state": {}})


def tied_slots(o: Any) -> None:
    first(o)["exp_avg_sq"] = first(o)["exp_avg"]


def in_place(o: Any) -> None:
    first(o)["exp_avg_sq"].add_(1)


CHANGES = [
    rate, rate_one_ulp, rate_int, rate_numpy, rate_tensor, betas, betas_list, new_setting, new_group, parameter_added,
    parameters_swapped, slot, slot_data, slot_dtype, slot_plain, slot_new, slot_gone, slots_gone, cleared, reloaded,
    tied_slots, in_place,
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_the_digest_is_that_of_the_state_dict_after(change: Callable[[Any], None]) -> None:
    _, optimizer = build()
    view = OptimizerView(optimizer)
    before = view.digest()
    assert before == digest_tree(optimizer.state_dict()) == view.digest()
    change(optimizer)
    assert view.digest() == digest_tree(optimizer.state_dict()) == view.digest() != before
    rate(optimizer)
    assert view.digest() == digest_tree(optimizer.state_dict())


OPTIMIZERS: dict[str, Callable[[Any], Any]] = {
    "adamw": lambda p: torch.optim.AdamW(p),
    "adam foreach": lambda p: torch.optim.Adam(p, foreach=True),
    "sgd": lambda p: torch.optim.SGD(p, 0.1),
    "momentum": lambda p: torch.optim.SGD(p, 0.1, momentum=0.9),
    "lbfgs": lambda p: torch.optim.LBFGS(p),
    "tensor rate": lambda p: torch.optim.Adam(p, torch.tensor(1e-3), foreach=False),
    "two groups": lambda p: torch.optim.AdamW([{"lr": 0.1, "params": p[:2]}, {"params": p[2:], "weight_decay": 0.5}]),
}


@pytest.mark.parametrize("name", sorted(OPTIMIZERS))
def test_slots_that_are_made_lazily_are_seen_at_every_step(name: str) -> None:
    model, optimizer = build(OPTIMIZERS[name], steps=0)
    view = OptimizerView(optimizer)
    digests = [view.digest()]
    for _ in range(4):
        step(model, optimizer)
        digests.append(view.digest())
        assert digests[-1] == digest_tree(optimizer.state_dict())
    assert len(set(digests)) == (1 if name == "sgd" else 5)


def test_a_schedule_that_moves_the_rate_is_seen_at_every_step() -> None:
    model, optimizer = build()
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
    view = OptimizerView(optimizer)
    for _ in range(5):
        step(model, optimizer)
        schedule.step()
        assert view.digest() == digest_tree(optimizer.state_dict())


def test_a_parameter_that_trains_later_gets_its_slots_later() -> None:
    model, optimizer = build(steps=0)
    model[0].requires_grad_(False)
    view = OptimizerView(optimizer)
    step(model, optimizer)
    assert view.digest() == digest_tree(optimizer.state_dict())
    model[0].requires_grad_(True)
    step(model, optimizer)
    assert view.digest() == digest_tree(optimizer.state_dict())


def test_a_state_dict_hook_is_honoured() -> None:
    _, optimizer = build()
    view = OptimizerView(optimizer)
    before = view.digest()
    optimizer.register_state_dict_post_hook(lambda o, state: {**state, "more": 1})
    assert view.digest() == digest_tree(optimizer.state_dict()) != before


def test_nbytes_counts_slots_also_where_it_goes_through_the_state_dict() -> None:
    _, optimizer = build()
    view = OptimizerView(optimizer)
    assert view.digest() and (fast := view.nbytes) > 0
    slot_plain(optimizer)
    assert view.digest() and view.nbytes == fast - 4
