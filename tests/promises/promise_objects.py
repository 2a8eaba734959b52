"""Loops with what else users track: every one is stopped at each step and has to be the same run.

Each builds (model, optimizer, further tracked objects, what is done after the optimizer's step).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.parametrizations import spectral_norm, weight_norm
from torch.optim import lr_scheduler as schedules
from torch.optim import swa_utils

import samerun

After = Callable[[float, int], Any]
Built = tuple[nn.Module, torch.optim.Optimizer, dict[str, Any], After]
X = torch.rand(40, 6, generator=torch.Generator().manual_seed(1))
Y = torch.randint(3, (40,), generator=torch.Generator().manual_seed(2))


def network() -> nn.Module:
    return nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3))


def nothing(loss: float, step: int) -> None:
    """What most loops do after the optimizer's step."""


def scheduled(make: Callable[[torch.optim.Optimizer], Any]) -> Callable[[], Built]:
    def built() -> Built:
        model = network()
        optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, nesterov=True)
        scheduler = make(optimizer)
        return model, optimizer, {"scheduler": scheduler}, lambda loss, step: scheduler.step()

    return built


def plateau() -> Built:
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), 0.5, momentum=0.9, dampening=0.1)
    scheduler = schedules.ReduceLROnPlateau(optimizer, patience=0, cooldown=1, factor=0.5, threshold=0.5)
    return model, optimizer, {"scheduler": scheduler}, lambda loss, step: scheduler.step(loss)


def averaged() -> Built:
    model = network()
    optimizer = torch.optim.AdamW(model.parameters(), 0.05)
    average, scheduler = swa_utils.AveragedModel(model), swa_utils.SWALR(optimizer, 0.01, anneal_epochs=3)

    def after(loss: float, step: int) -> None:
        if step > 1:
            average.update_parameters(model)
            scheduler.step()

    return model, optimizer, {"average": average, "scheduler": scheduler}, after


def stepped(make: Callable[[nn.Module], torch.optim.Optimizer], model: Callable[[], nn.Module] = network) -> Any:
    def built() -> Built:
        made = model()
        return made, make(made), {}, nothing

    return built


class Tied(nn.Module):
    """Two layers that share one weight."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two, self.head = nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 3)
        self.two.weight = self.one.weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.two(torch.relu(self.one(x))))  # type: ignore[no-any-return]


class Sparse(nn.Module):
    """An embedding with sparse gradients."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = nn.Embedding(10, 4, sparse=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.rows((x[:, 0] * 10).long().clamp(0, 9))[:, :3] * 3  # type: ignore[no-any-return]


class Complex(nn.Module):
    """Parameters of two complex kinds."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(6, 3, dtype=torch.complex64))
        self.bias = nn.Parameter(torch.zeros(3, dtype=torch.complex128))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (x.to(torch.complex64) @ self.weight + self.bias).abs().float()


class Counting(nn.Linear):
    """A counter that is extra state of the module."""

    def __init__(self) -> None:
        super().__init__(6, 3)
        self.count = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.count += 1
        return super().forward(x) * (1 + 0.1 * self.count)

    def get_extra_state(self) -> dict[str, int]:
        return {"count": self.count}

    def set_extra_state(self, state: dict[str, int]) -> None:
        self.count = state["count"]


def normed() -> nn.Module:
    return nn.Sequential(weight_norm(nn.Linear(6, 8)), nn.ReLU(), spectral_norm(nn.Linear(8, 3)))


def adamw(model: nn.Module) -> torch.optim.Optimizer:
    return torch.optim.AdamW(model.parameters(), 0.05)


OBJECTS: dict[str, Callable[[], Built]] = {
    "plateau": plateau,
    "averaged": averaged,
    "one_cycle": scheduled(lambda optimizer: schedules.OneCycleLR(optimizer, 0.5, total_steps=20)),
    "warm_restarts": scheduled(lambda optimizer: schedules.CosineAnnealingWarmRestarts(optimizer, 2, 2)),
    "cyclic": scheduled(lambda optimizer: schedules.CyclicLR(optimizer, 0.01, 0.2, step_size_up=2)),
    "lambda": scheduled(lambda optimizer: schedules.LambdaLR(optimizer, lambda step: 0.9**step)),
    "sequential": scheduled(
        lambda optimizer: schedules.SequentialLR(
            optimizer, [schedules.LinearLR(optimizer, 0.1, total_iters=2), schedules.ExponentialLR(optimizer, 0.9)], [2]
        )
    ),
    "adafactor": stepped(lambda model: torch.optim.Adafactor(model.parameters(), 0.05)),
    "lbfgs": stepped(lambda model: torch.optim.LBFGS(model.parameters(), 0.5, max_iter=3), lambda: nn.Linear(6, 3)),
    "tied": stepped(adamw, Tied),
    "sparse": stepped(lambda model: torch.optim.SparseAdam(list(model.parameters()), 0.1), Sparse),
    "complex": stepped(adamw, Complex),
    "extra_state": stepped(adamw, Counting),
    "normed": stepped(adamw, normed),
}


def objects(options: dict[str, Any]) -> None:
    """Train the loop `options["kind"]` for five steps."""
    with samerun.start("objects", config={}, seed=5, checkpoint={"every": 1}) as run:
        model, optimizer, more, after = OBJECTS[options["kind"]]()
        batches = run.loader((X, Y), batch_size=8)
        run.track(model=model, optimizer=optimizer, batches=batches, **more)
        for step in run.steps(5):
            x, y = next(batches)

            def closure(x: torch.Tensor = x, y: torch.Tensor = y) -> float:
                optimizer.zero_grad()
                loss = cross_entropy(model(x), y)
                loss.backward()
                return float(loss.detach())

            loss = float(optimizer.step(closure))
            after(loss, step.index)
            step.log(loss=loss, rate=optimizer.param_groups[0]["lr"])
