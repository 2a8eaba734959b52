"""Restoring: what was taken goes back bit for bit, in objects of every kind, or is refused by component and leaf."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from typing import Any

import pytest
import torch

from samerun.errors import RefusedError, UsageError
from samerun.state.digest import digest_tree
from samerun.state.join import unpack
from samerun.state.restore import can_hold_state, load_into, state_of
from samerun.state.tree import host_copy, pack


def stored(thing: object) -> Any:
    """What a checkpoint would give back: fresh memory, no alias of the live object."""
    return unpack(host_copy(pack(state_of(thing))))


def trained(make: Any, steps: int = 3, dtype: torch.dtype = torch.float32) -> tuple[torch.nn.Module, Any]:
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2)).to(dtype)
    optimizer = make(net.parameters())
    train(net, optimizer, steps)
    return net, optimizer


def train(net: torch.nn.Module, optimizer: Any, steps: int) -> None:
    x = torch.ones(3, 4, dtype=next(net.parameters()).dtype)

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = net(x).square().sum()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    for _ in range(steps):
        optimizer.step(closure)


OPTIMIZERS = {
    "adamw": lambda p: torch.optim.AdamW(p, 1e-3),
    "amsgrad": lambda p: torch.optim.Adam(p, 1e-3, amsgrad=True),
    "tensor rate": lambda p: torch.optim.Adam(p, torch.tensor(1e-3), foreach=False),
    "sgd": lambda p: torch.optim.SGD(p, 0.1),
    "momentum": lambda p: torch.optim.SGD(p, 0.1, momentum=0.9, nesterov=True),
    "adagrad": lambda p: torch.optim.Adagrad(p, 0.1),
    "rmsprop": lambda p: torch.optim.RMSprop(p, 0.01, centered=True, momentum=0.5),
    "nadam": lambda p: torch.optim.NAdam(p, 0.01),
    "asgd": lambda p: torch.optim.ASGD(p, 0.01),
    "adafactor": lambda p: torch.optim.Adafactor(p, 0.01),
    "lbfgs": lambda p: torch.optim.LBFGS(p, 0.01),
}


@pytest.mark.parametrize("name", sorted(OPTIMIZERS))
def test_an_optimizer_takes_back_exactly_what_it_had(name: str) -> None:
    _, source = trained(OPTIMIZERS[name])
    _, target = trained(OPTIMIZERS[name], steps=0)
    load_into(target, stored(source), name="optim")
    assert digest_tree(state_of(target)) == digest_tree(state_of(source))


@pytest.mark.parametrize("name", sorted(OPTIMIZERS))
def test_training_goes_on_from_a_restored_optimizer_as_if_nothing_had_happened(name: str) -> None:
    whole_net, whole = trained(OPTIMIZERS[name], steps=5)
    net, optimizer = trained(OPTIMIZERS[name], steps=0)
    half_net, half = trained(OPTIMIZERS[name], steps=3)
    load_into(net, stored(half_net), name="model")
    load_into(optimizer, stored(half), name="optim")
    train(net, optimizer, 2)
    assert digest_tree(state_of(net)) == digest_tree(state_of(whole_net))
    assert digest_tree(state_of(optimizer)) == digest_tree(state_of(whole))


def test_slots_of_another_precision_than_their_parameter_keep_dtype_and_bits() -> None:
    _, source = trained(OPTIMIZERS["adamw"], dtype=torch.bfloat16)
    for slots in source.state.values():
        slots["exp_avg"] = slots["exp_avg"].float() + 1e-7  # a bit pattern that bfloat16 cannot hold
        slots["exp_avg_sq"] = slots["exp_avg_sq"].double()
    _, target = trained(OPTIMIZERS["adamw"], steps=0, dtype=torch.bfloat16)
    load_into(target, stored(source), name="optim")
    assert digest_tree(state_of(target)) == digest_tree(state_of(source))
    assert {slots["exp_avg"].dtype for slots in target.state.values()} == {torch.float32}
    assert {slots["exp_avg_sq"].dtype for slots in target.state.values()} == {torch.float64}


def test_channels_last_slots_keep_their_strides() -> None:
    def build() -> tuple[torch.nn.Module, torch.optim.Optimizer]:
        net = torch.nn.Conv2d(3, 4, 3).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        return net, torch.optim.AdamW(net.parameters())

    net, source = build()
    net(torch.ones(1, 3, 5, 5)).sum().backward()
    source.step()
    _, target = build()
    load_into(target, stored(source), name="optim")
    strides = [slot.stride() for slots in source.state.values() for slot in slots.values()]
    assert [slot.stride() for slots in target.state.values() for slot in slots.values()] == strides


def test_groups_keep_their_settings() -> None:
    def build() -> Any:
        a, b = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
        return torch.optim.AdamW([{"params": a.parameters(), "lr": 0.5, "name": "a"}, {"params": b.parameters()}], 1e-3)

    source, target = build(), build()
    source.param_groups[1]["lr"] = 0.25
    source.param_groups[0]["betas"] = (0.1, 0.2)
    load_into(target, stored(source), name="optim")
    assert target.param_groups[1]["lr"] == 0.25 and target.param_groups[0]["betas"] == (0.1, 0.2)


def test_an_optimizer_with_other_groups_is_refused_before_anything_changes() -> None:
    _, source = trained(OPTIMIZERS["adamw"])
    target = torch.optim.AdamW([torch.zeros(2, requires_grad=True)])
    before = digest_tree(state_of(target))
    with pytest.raises(RefusedError) as caught:
        load_into(target, stored(source), name="step-00000003/optim")
    assert caught.value.code == "SR-STATE-011"
    assert (
        "step-00000003/optim" in caught.value.what
        and "4 parameters in the checkpoint, 1 in the program" in caught.value.what
    )
    assert digest_tree(state_of(target)) == before


SCHEDULES = {
    "multistep": lambda o: torch.optim.lr_scheduler.MultiStepLR(o, [2, 4, 4]),
    "cosine": lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(o, 10),
    "onecycle": lambda o: torch.optim.lr_scheduler.OneCycleLR(o, 0.1, total_steps=20),
    "plateau": lambda o: torch.optim.lr_scheduler.ReduceLROnPlateau(o),
    "lambda": lambda o: torch.optim.lr_scheduler.LambdaLR(o, lambda step: 0.9**step),
    "cyclic": lambda o: torch.optim.lr_scheduler.CyclicLR(o, 0.01, 0.1, cycle_momentum=False),
    "restarts": lambda o: torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(o, 3),
    "sequence": lambda o: torch.optim.lr_scheduler.SequentialLR(
        o,
        [torch.optim.lr_scheduler.LinearLR(o), torch.optim.lr_scheduler.MultiStepLR(o, [3])],
        [2],
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(SCHEDULES))
def test_a_scheduler_takes_back_exactly_what_it_had(name: str) -> None:
    def build(steps: int) -> Any:
        optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], 0.1)
        schedule = SCHEDULES[name](optimizer)
        for _ in range(steps):
            schedule.step(1.0) if name == "plateau" else schedule.step()
        return schedule

    source, target = build(3), build(0)
    load_into(target, stored(source), name="schedule")
    assert digest_tree(state_of(target)) == digest_tree(state_of(source))


def test_the_counter_of_a_multistep_schedule_stays_a_counter() -> None:
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], 0.1)
    schedule = torch.optim.lr_scheduler.MultiStepLR(optimizer, [2, 4, 4])
    load_into(schedule, stored(schedule), name="schedule")
    assert type(schedule.milestones) is Counter and schedule.milestones == {2: 1, 4: 2}


def test_a_gradient_scaler_comes_back() -> None:
    source, target = (torch.amp.GradScaler("cpu", init_scale=scale) for scale in (1024.0, 2.0))
    load_into(target, stored(source), name="scaler")
    assert target.state_dict() == source.state_dict() and target.get_scale() == 1024.0


def test_a_disabled_gradient_scaler_does_not_fit_an_enabled_one() -> None:
    with pytest.raises(RefusedError, match="SR-STATE-012"):
        load_into(torch.amp.GradScaler("cpu"), stored(torch.amp.GradScaler("cpu", enabled=False)), name="scaler")


class Ema:
    """As users write it: a plain object that hands out and takes over its dict."""

    def __init__(self, net: torch.nn.Module) -> None:
        self.shadow = {name: value.clone() for name, value in net.state_dict().items()}
        self.updates = 0

    def state_dict(self) -> dict[str, Any]:
        return {"shadow": self.shadow, "updates": self.updates}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.shadow, self.updates = state["shadow"], state["updates"]


def test_a_plain_object_with_state_dict_comes_back() -> None:
    source, target = Ema(torch.nn.Linear(2, 2)), Ema(torch.nn.Linear(2, 2))
    source.updates = 7
    load_into(target, stored(source), name="ema")
    assert digest_tree(state_of(target)) == digest_tree(state_of(source))
    source.shadow["weight"].zero_()
    assert target.shadow["weight"].abs().sum() > 0


def test_an_averaged_model_comes_back() -> None:
    source, target = (torch.optim.swa_utils.AveragedModel(torch.nn.Linear(2, 2)) for _ in range(2))
    source.update_parameters(torch.nn.Linear(2, 2))
    load_into(target, stored(source), name="average")
    assert digest_tree(state_of(target)) == digest_tree(state_of(source))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda s: s.update(bias=s["bias"].half()), "'bias' is float16[2] in the checkpoint, float32[2] in the model"),
        (
            lambda s: s.update(weight=s["weight"][:1]),
            "'weight' is float32[1, 3] in the checkpoint, float32[2, 3] in the model",
        ),
        (lambda s: s.pop("bias"), "'bias' is in the model, not in the checkpoint"),
        (lambda s: s.update(extra=torch.zeros(1)), "'extra' is in the checkpoint, not in the model"),
    ],
)
def test_a_module_that_does_not_fit_is_refused_by_leaf_and_left_alone(change: Any, words: str) -> None:
    net = torch.nn.Linear(3, 2)
    tree, before = stored(net), digest_tree(state_of(net))
    change(tree)
    with pytest.raises(RefusedError) as caught:
        load_into(net, tree, name="step-00000100/model")
    assert caught.value.code == "SR-STATE-010"
    assert words in caught.value.what and caught.value.what.startswith("step-00000100/model: ")
    assert digest_tree(state_of(net)) == before


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float8_e4m3fn, torch.complex64, torch.bool, torch.int64])
def test_buffers_of_any_dtype_come_back(dtype: torch.dtype) -> None:
    def build(value: float) -> torch.nn.Module:
        net = torch.nn.Module()
        net.register_buffer("b", torch.full((3,), value).to(dtype))
        return net

    target = build(0.0)
    load_into(target, stored(build(1.0)), name="model")
    assert digest_tree(state_of(target)) == digest_tree(state_of(build(1.0)))


def test_tied_parameters_stay_tied() -> None:
    def build() -> torch.nn.Sequential:
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
        net[1].weight = net[0].weight
        return net

    source, target = build(), build()
    load_into(target, stored(source), name="model")
    assert target[1].weight is target[0].weight
    assert digest_tree(state_of(target)) == digest_tree(state_of(source))


@pytest.mark.parametrize("kind", [dict, OrderedDict, Counter, lambda pairs: defaultdict(int, pairs)])
def test_a_plain_dict_is_filled_in_place(kind: Any) -> None:
    source, target = kind({"a": 1, 2: 3}), kind({"old": 1})
    load_into(target, stored(source), name="values")
    assert target == source and list(target) == ["a", 2]


def test_a_dict_does_not_take_back_another_kind_of_dict() -> None:
    with pytest.raises(RefusedError, match="SR-STATE-011"):
        load_into({}, OrderedDict(), name="values")


def test_an_object_without_state_is_refused() -> None:
    for thing in (object(), 3, torch.nn.Linear, [1]):
        assert not can_hold_state(thing) or isinstance(thing, type)
        with pytest.raises(UsageError, match="SR-STATE-007"):
            state_of(thing)


class Dice:
    sides = 6


class DiceAdapter:
    def knows(self, thing: object) -> bool:
        return isinstance(thing, Dice)

    def state_of(self, thing: Any) -> object:
        return {"sides": thing.sides}

    def load_into(self, thing: Any, tree: Any) -> None:
        thing.sides = tree["sides"]


def test_an_adapter_makes_other_things_restorable() -> None:
    source, target, adapters = Dice(), Dice(), (DiceAdapter(),)
    source.sides = 20
    assert can_hold_state(source, adapters) and not can_hold_state(source)
    load_into(target, unpack(pack(state_of(source, adapters))), name="dice", adapters=adapters)
    assert target.sides == 20


def test_an_error_in_load_state_dict_names_the_component_and_the_error() -> None:
    with pytest.raises(RefusedError) as caught:
        load_into(Ema(torch.nn.Linear(1, 1)), {"other": 1}, name="ema")
    assert caught.value.code == "SR-STATE-012"
    assert "ema" in caught.value.what and "KeyError" in caught.value.evidence[0]
