"""A loop that carries one of everything from step to step, in ways that no checkpoint holds."""

from __future__ import annotations

import functools
import itertools
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import nn

import samerun

CALLS = 0
SEEN: list[int] = []
TABLE: dict[str, int] = {"reads": 0}


class Backbone(nn.Module):
    """A layer that counts its calls, keeps a moving average, and holds a buffer that is not saved."""

    average: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.layer1 = nn.Linear(3, 3)
        self.calls = 0
        self.register_buffer("average", torch.zeros(3), persistent=False)
        self.ema: torch.Tensor | None = None
        self.last: torch.Tensor | None = None
        self.mask: torch.Tensor | None = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        if self.mask is None:
            self.mask = torch.ones(3)
        out = self.layer1(x) * self.mask
        self.average = 0.9 * self.average + 0.1 * out.detach().mean(0)
        self.ema = out.detach() if self.ema is None else 0.9 * self.ema + 0.1 * out.detach()
        self.last = out.detach()
        return out


class Net(nn.Module):
    """A backbone and a head."""

    def __init__(self) -> None:
        super().__init__()
        self.backbone = Backbone()
        self.head = nn.Linear(3, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.backbone(x))


class Forgetful(torch.optim.SGD):
    """An optimizer with a counter of its own that is not in its state_dict."""

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters, 0.1)
        self.ema_counter = 1

    def step(self, closure: Any = None) -> Any:
        self.ema_counter += 1
        return super().step(closure)


class Meter:
    """Keeps numbers, and how often any meter was asked."""

    asked = 0

    def __init__(self) -> None:
        self.total = 0.0
        self.best = float("inf")
        self.window: deque[float] = deque(maxlen=2)
        self.by_name: defaultdict[str, int] = defaultdict(int)
        self.histogram = np.zeros(4)
        self.nested = SimpleNamespace(level=[1, {"deep": 0}])

    def update(self, value: float) -> None:
        Meter.asked += 1
        self.total += 1
        self.best = min(self.best, value)
        self.window.append(self.total)
        self.by_name["loss"] += 1
        self.histogram[0] += 1
        self.nested.level[1]["deep"] += 1


class Slotted:
    """An object without `__dict__`."""

    __slots__ = ("count", "unset")

    def __init__(self) -> None:
        self.count = 0


class Halfway:
    """Has a state_dict that leaves something out."""

    def __init__(self) -> None:
        self.kept = 0
        self.lost = 0

    def state_dict(self) -> dict[str, int]:
        return {"kept": self.kept}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.kept = state["kept"]


class Hostile:
    """Must not be asked for anything that runs its code."""

    def __init__(self) -> None:
        self.count = 0

    @property
    def touched(self) -> int:
        raise AssertionError("a property was asked")

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} was asked")

    def __repr__(self) -> str:
        raise AssertionError("repr was asked")

    def __eq__(self, other: object) -> bool:
        raise AssertionError("equality was asked")

    def __iter__(self) -> Iterator[int]:
        raise AssertionError("it was iterated")

    def __len__(self) -> int:
        raise AssertionError("its length was asked")


class Counting(torch.utils.data.Dataset[torch.Tensor]):
    """A data set that counts how often it was read."""

    draws = "none"

    def __init__(self, size: int = 8) -> None:
        self.data = torch.linspace(0, 1, size * 3).reshape(size, 3)
        self.reads = 0

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, index: int) -> torch.Tensor:
        self.reads += 1
        return self.data[index]


class Flip:
    """A transform that counts its items."""

    draws = "none"

    def __init__(self) -> None:
        self.turns = 0

    def __call__(self, item: torch.Tensor) -> torch.Tensor:
        self.turns += 1
        self.count = 1 + vars(self).get("count", 0)
        return item


def bump() -> None:
    """Count in a variable of the module."""
    global CALLS
    CALLS += 1
    SEEN.append(CALLS)
    TABLE["reads"] += 1


def remember(value: int, cache: list[int] = []) -> None:  # noqa: B006 - planted: the default is kept between calls
    cache.append(value)
    remember.calls = vars(remember).get("calls", 0) + 1  # type: ignore[attr-defined]


@functools.lru_cache
def squared(value: int) -> int:
    return value * value


def counter_hook() -> Callable[..., None]:
    """A hook with a counter in its closure."""
    counter = 0

    def hook(*_: Any) -> None:
        nonlocal counter
        counter += 1

    return hook


def endless(limit: int) -> Iterator[int]:
    """A generator that knows how far it is."""
    position = 0
    while True:
        position += 1
        yield position % limit


def over(items: list[int]) -> Iterator[int]:
    """A generator whose place is only in the iterator that its loop holds."""
    for item in items:  # noqa: UP028 - the place is in the iterator of a loop
        yield item


def planted(steps: int = 4) -> None:
    """Carry one of everything from step to step; what the training computes depends on none of it."""
    run = samerun.start("planted", seed=7)
    with run:
        model = Net()
        optim = Forgetful(model.parameters())
        meter, slotted, halfway, hostile = Meter(), Slotted(), Halfway(), Hostile()
        model.backbone.layer1.register_forward_hook(counter_hook())
        model.head.weight.register_hook(counter_hook())
        numbers, words = iter(range(100)), itertools.cycle("abc")
        counted, positions, places = itertools.count(), endless(5), over(list(range(9)))
        numbered = enumerate("abcdefgh")
        generator = np.random.default_rng(3)
        own = torch.Generator().manual_seed(3)
        loader = torch.utils.data.DataLoader(Counting(), 2)
        batches = iter(loader)
        data = run.loader(Counting(), 2, transform=Flip())
        untracked = torch.optim.lr_scheduler.StepLR(optim, 2)
        best, total, average = float("inf"), 0, torch.zeros(())
        history: list[float] = []
        tally: Counter[str] = Counter()
        slots = [Slotted(), Slotted()]
        prefix = functools.partial(counter_hook())
        run.track(model=model, optim=optim, halfway=halfway, data=data)
        for step in run.steps(steps):
            batch = next(data)
            loss = model(batch).square().mean()
            optim.zero_grad()
            loss.backward()
            optim.step()
            untracked.step()
            meter.update(loss.item())
            slotted.count += 1
            slots[1].count += 1
            halfway.kept += 1
            halfway.lost += 1
            hostile.count += 1
            next(numbers), next(words), next(counted), next(positions), next(places), next(numbered), next(batches)
            generator.random()
            torch.rand(1, generator=own)
            best = min(best, loss.item())
            total += 1
            average = 0.9 * average + 0.1 * loss.detach()
            history.append(1.0)
            tally["steps"] += 1
            prefix()
            bump()
            remember(total)
            squared(step.index)
            step.log(loss=loss)
    assert best < 1e9 and total and tally and bool(average + 1)


PLANTED = {
    "model.backbone.calls": "attribute",
    "model.backbone.average": "buffer",
    "model.backbone.ema": "attribute",
    "optim.ema_counter": "attribute",
    "closure of model.backbone.layer1 forward hook: counter": "closure",
    "closure of model.head.weight gradient hook: counter": "closure",
    "halfway.lost": "attribute",
    "data.dataset.reads": "attribute",
    "data.transform.count": "attribute",
    "data.transform.turns": "attribute",
    "loop local 'meter'.total": "attribute",
    "loop local 'meter'.best": "attribute",
    "loop local 'meter'.window": "attribute",
    "loop local 'meter'.by_name": "attribute",
    "loop local 'meter'.histogram": "attribute",
    "loop local 'meter'.nested.level": "attribute",
    "class attribute Meter.asked": "class attribute",
    "loop local 'slotted'.count": "attribute",
    "loop local 'slots'[1].count": "attribute",
    "loop local 'hostile'.count": "attribute",
    "loop local 'numbers'": "iterator",
    "loop local 'words'": "iterator",
    "loop local 'counted'": "iterator",
    "loop local 'positions'": "iterator",
    "loop local 'places'": "iterator",
    "loop local 'numbered'": "iterator",
    "loop local 'batches'": "iterator",
    "loop local 'generator'": "generator",
    "loop local 'own'": "generator",
    "loop local 'untracked'": "object",
    "loop local 'best'": "local",
    "loop local 'total'": "local",
    "loop local 'average'": "local",
    "loop local 'history'": "local",
    "loop local 'tally'": "local",
    "closure of counter_hook.hook: counter": "closure",
    "global 'CALLS' of untracked_planted": "global",
    "global 'SEEN' of untracked_planted": "global",
    "global 'TABLE' of untracked_planted": "global",
    "default of remember: cache": "default",
    "attribute of remember: calls": "function attribute",
    "cache of squared": "cache",
}
"""What `planted` carries, by path, and the kind of each."""
