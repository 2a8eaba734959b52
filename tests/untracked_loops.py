"""Loops whose steps carry something that no checkpoint holds, and the list of all loops that are looked at."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

import samerun
from samerun.run.launch import current_options
from untracked_planted import PLANTED as PLANTED
from untracked_planted import planted
from untracked_twins import (
    Plain,
    clean_epochs,
    clean_loop,
    clean_modules,
    clean_optimizers,
    clean_schedulers,
    model_of_three,
)


def forgotten(what: str, steps: int = 4) -> None:
    """Forget one thing that changes the numbers."""
    with samerun.start("forgotten", seed=7) as run:
        model = model_of_three()
        optim = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
        schedule = torch.optim.lr_scheduler.ExponentialLR(optim, 0.9)
        average = torch.optim.swa_utils.AveragedModel(model)
        things = {"model": model, "optim": optim, "schedule": schedule, "average": average}
        run.track(**{name: thing for name, thing in things.items() if name != what})
        scale, last = 1.0, 0.0
        for step in run.steps(steps):
            loss = model(torch.rand(4, 3)).square().mean()
            optim.zero_grad()
            if what == "scale":
                loss = loss * scale
                scale *= 0.5
            if what == "last":
                loss = loss + 0.1 * last * model[0].weight.sum()
                last = loss.item()
            loss.backward()
            optim.step()
            schedule.step()
            average.update_parameters(model)
            step.log(loss=loss)


FORGOTTEN = {
    "optim": ("loop local 'optim'", "object"),
    "schedule": ("loop local 'schedule'", "object"),
    "average": ("loop local 'average'", "object"),
    "scale": ("loop local 'scale'", "local"),
    "last": ("loop local 'last'", "local"),
}


def window(every: int, is_tracked: bool, way: str = "late", steps: int = 5) -> None:
    """Accumulate gradients over steps; `way` is how they are cleared."""
    with samerun.start("window", seed=7) as run:
        model = model_of_three()
        optim = torch.optim.SGD(model.parameters(), 0.1)
        run.track(model=model, optim=optim, **({"gradients": model} if is_tracked else {}))
        for step in run.steps(steps):
            if way == "delayed" and step.index:
                optim.step()
                optim.zero_grad()
            if way == "early" and step.index % every == 0:
                optim.zero_grad(set_to_none=step.index % 2 == 0)
            loss = model(torch.rand(4, 3)).square().mean()
            loss.backward()
            if way != "delayed" and (step.index + 1) % every == 0:
                optim.step()
                if way == "late":
                    optim.zero_grad()
            step.log(loss=loss)


class Trainer:
    """A loop in a method, with everything in attributes; `is_clean` carries nothing."""

    def __init__(self, is_clean: bool) -> None:
        self.model = model_of_three()
        self.optim = torch.optim.SGD(self.model.parameters(), 0.1, momentum=0.9)
        self.is_clean = is_clean
        self.best = float("inf")
        self.loss: torch.Tensor | None = None
        self.outputs: dict[str, Any] = {}
        self.seen: list[torch.Tensor] = []
        self.chance = random.Random(3)

    def fit(self, steps: int) -> None:
        with samerun.start("trainer", seed=7) as run:
            run.track(model=self.model)
            if self.is_clean:
                run.track(optim=self.optim)
            run.restore()
            start = run.step
            for index, step in enumerate(run.steps(steps), start if self.is_clean else 0):
                self.one(step)
                if not self.is_clean:
                    step.log(index=index)

    def one(self, step: Any) -> None:
        x = torch.rand(4, 3)
        self.outputs["last"] = self.model(x)
        self.loss = self.outputs["last"].square().mean()
        self.optim.zero_grad()
        self.loss.backward()
        self.optim.step()
        step.log(loss=self.loss)
        if not self.is_clean:
            self.best = min(self.best, self.loss.item())
            self.seen.append(self.loss.detach())
            self.chance.random()


def in_a_class(is_clean: bool, steps: int = 4) -> None:
    Trainer(is_clean).fit(steps)


IN_A_CLASS = {
    "loop local 'self'.optim": "object",
    "loop local 'self'.best": "attribute",
    "loop local 'self'.seen": "attribute",
    "loop local 'self'.chance": "generator",
    "what the loop iterates over: 'index'": "iterator",
}


def zipped(is_clean: bool, steps: int = 4) -> None:
    """Iterate over steps and batches together; the iterator lies on the frame's stack."""
    with samerun.start("zipped", seed=7) as run:
        model = model_of_three()
        optim = torch.optim.SGD(model.parameters(), 0.1)
        batches: Any = run.loader(Plain(), 2)
        run.track(model=model, optim=optim, **({"batches": batches} if is_clean else {}))
        if not is_clean:
            batches = [torch.full((2, 3), number / 8) for number in range(8)]
        for step, batch in zip(run.steps(steps), batches, strict=False):
            loss = model(batch).square().mean()
            optim.zero_grad()
            loss.backward()
            optim.step()
            step.log(loss=loss)


def one_epoch(run: Any, epoch: Any, model: nn.Module, optim: Any, counts: dict[str, int] | None) -> float:
    total = 0.0
    for step, batch in epoch.steps(DATA):
        loss = model(batch).square().mean()
        optim.zero_grad()
        loss.backward()
        optim.step()
        if counts is not None:
            counts["steps"] += 1
        total = loss.item()
        step.log(loss=loss)
    return total


DATA = [torch.full((2, 3), number / 8) for number in range(3)]


def in_functions(is_clean: bool, steps: int = 8) -> None:
    """The inner loop in a function, called from the loop over epochs; what it carries is the caller's."""
    with samerun.start("functions", seed=7) as run:
        model = model_of_three()
        optim = torch.optim.SGD(model.parameters(), 0.1)
        run.track(model=model, optim=optim)
        counts = None if is_clean else {"steps": 0}
        best, epochs = 1e9, 0
        for epoch in run.epochs(3):
            total = one_epoch(run, epoch, model, optim, counts)
            if not is_clean:
                best = min(best, total)
                epochs += 1
    assert is_clean or (best < 1e9 and epochs)


IN_FUNCTIONS = {
    "local 'best' of in_functions": "local",
    "local 'epochs' of in_functions": "local",
    "loop local 'counts'": "local",
}


CLEAN: dict[str, tuple[Callable[..., None], tuple[Any, ...], int]] = {
    "optimizers": (clean_optimizers, (), 4),
    "schedulers": (clean_schedulers, (), 4),
    "modules": (clean_modules, (), 4),
    "loop": (clean_loop, (), 4),
    "torch loader": (clean_epochs, (0, "torch"), 4),
    "our loader": (clean_epochs, (0, "ours"), 4),
    "our loader with workers": (clean_epochs, (2, "ours"), 4),
    "class": (in_a_class, (True,), 4),
    "zipped": (zipped, (True,), 4),
    "functions": (in_functions, (True,), 8),
    "nothing forgotten": (forgotten, ("",), 4),
    "tracked window": (window, (2, True), 5),
    "tracked delayed": (window, (1, True, "delayed"), 5),
    "early cleared": (window, (1, False, "early"), 5),
    "late cleared": (window, (1, False, "late"), 5),
}
CARRYING: dict[str, tuple[Callable[..., None], tuple[Any, ...], int]] = {
    "planted": (planted, (), 4),
    "window of 2": (window, (2, False), 5),
    "window of 3": (window, (3, False), 5),
    "early window": (window, (2, False, "early"), 5),
    "delayed": (window, (1, False, "delayed"), 5),
    "unclean class": (in_a_class, (False,), 4),
    "unclean zipped": (zipped, (False,), 4),
    "unclean functions": (in_functions, (False,), 8),
    **{f"forgotten {what}": (forgotten, (what,), 4) for what in FORGOTTEN},
}


def by_folder() -> None:
    """Run the loop that the folder of the runs is named after: so one warm process serves all of them."""
    runs = current_options().runs
    assert runs is not None
    loop, arguments, _ = {**CLEAN, **CARRYING}[runs.parent.name]
    loop(*arguments)
