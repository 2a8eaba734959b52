"""Loops that carry nothing but what is saved: none of them may give a finding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

import samerun


def tiny(steps: int, use: Callable[[Any, torch.Tensor], None], **tracked: Any) -> None:
    """Train what `use` says for some steps, with `tracked` tracked."""
    with samerun.start("tiny", seed=7) as run:
        run.track(**tracked)
        for step in run.steps(steps):
            use(step, torch.rand(4, 3))


def model_of_three() -> nn.Module:
    return nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))


OPTIMIZERS = (
    "SGD",
    "Adam",
    "AdamW",
    "RMSprop",
    "Adagrad",
    "Adadelta",
    "Adamax",
    "NAdam",
    "RAdam",
    "ASGD",
    "Rprop",
    "LBFGS",
)


def clean_optimizers(steps: int = 4) -> None:
    """Every optimizer, tracked."""
    models = {name: model_of_three() for name in OPTIMIZERS}
    optims = {
        name: getattr(torch.optim, name)(model.parameters(), **({"momentum": 0.9} if name == "SGD" else {}), lr=0.01)
        for name, model in models.items()
    }

    def use(step: Any, x: torch.Tensor) -> None:
        for name, model in models.items():

            def closure(model: nn.Module = model, optim: Any = optims[name]) -> torch.Tensor:
                optim.zero_grad()
                loss: torch.Tensor = model(x).square().mean()
                loss.backward()
                return loss

            step.log({name: optims[name].step(closure)})

    tracked = {f"model_{name}": model for name, model in models.items()}
    tiny(steps, use, **tracked, **{f"optim_{name}": optim for name, optim in optims.items()})


def schedulers_of(optim: Any) -> dict[str, Callable[[], Any]]:
    lr = torch.optim.lr_scheduler
    return {
        "LambdaLR": lambda: lr.LambdaLR(optim, lambda step: 0.9**step),
        "MultiplicativeLR": lambda: lr.MultiplicativeLR(optim, lambda step: 0.9),
        "StepLR": lambda: lr.StepLR(optim, 2),
        "MultiStepLR": lambda: lr.MultiStepLR(optim, [1, 3]),
        "ConstantLR": lambda: lr.ConstantLR(optim),
        "LinearLR": lambda: lr.LinearLR(optim),
        "ExponentialLR": lambda: lr.ExponentialLR(optim, 0.9),
        "CosineAnnealingLR": lambda: lr.CosineAnnealingLR(optim, 5),
        "CosineAnnealingWarmRestarts": lambda: lr.CosineAnnealingWarmRestarts(optim, 2),
        "CyclicLR": lambda: lr.CyclicLR(optim, 0.01, 0.1),
        "OneCycleLR": lambda: lr.OneCycleLR(optim, 0.1, total_steps=20),
        "PolynomialLR": lambda: lr.PolynomialLR(optim),
        "ReduceLROnPlateau": lambda: lr.ReduceLROnPlateau(optim, patience=1),
        "SequentialLR": lambda: lr.SequentialLR(optim, [lr.ConstantLR(optim), lr.ExponentialLR(optim, 0.9)], [2]),
        "ChainedScheduler": lambda: lr.ChainedScheduler([lr.ConstantLR(optim), lr.ExponentialLR(optim, 0.9)]),
        "SWALR": lambda: torch.optim.swa_utils.SWALR(optim, 0.05),
    }


def clean_schedulers(steps: int = 4) -> None:
    """Every scheduler, tracked with its optimizer, with hooks on some."""
    made: list[tuple[nn.Module, Any, Any]] = []
    tracked: dict[str, Any] = {}
    for number, name in enumerate(schedulers_of(None)):
        model = model_of_three()
        optim = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
        schedule = schedulers_of(optim)[name]()
        made.append((model, optim, schedule))
        tracked |= {f"model{number}": model, f"optim{number}": optim, f"schedule{number}": schedule}

    def use(step: Any, x: torch.Tensor) -> None:
        for model, optim, schedule in made:
            loss = model(x).square().mean()
            optim.zero_grad(set_to_none=step.index % 2 == 0)
            loss.backward()
            optim.step()
            is_plateau = isinstance(schedule, torch.optim.lr_scheduler.ReduceLROnPlateau)
            schedule.step(*((loss.item(),) if is_plateau else ()))

    tiny(steps, use, **tracked)


class Looking(nn.Module):
    """Keeps what it computed last, and a mask that it makes once: neither is carried."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.last: torch.Tensor | None = None
        self.mask: torch.Tensor | None = None
        self.seen: list[int] = []
        self.register_buffer("positions", torch.arange(3.0), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.mask is None or self.mask.shape != x.shape[1:]:
            self.mask = torch.ones(x.shape[1:])
        self.seen.clear()
        self.seen.append(len(x))
        self.last = self.linear(x) * self.mask + self.positions
        return self.last


def modules_of() -> dict[str, nn.Module]:
    norm = nn.utils.parametrizations
    return {
        "batchnorm": nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Dropout(0.5)),
        "rnn": nn.RNN(3, 3, batch_first=True),
        "lstm": nn.LSTM(3, 3, num_layers=2, dropout=0.1, batch_first=True),
        "gru": nn.GRU(3, 3, batch_first=True),
        "transformer": nn.TransformerEncoderLayer(3, 1, 4, batch_first=True),
        "whole_transformer": Pair(nn.Transformer(3, 1, 1, 1, 4, batch_first=True)),
        "attention": Attending(nn.MultiheadAttention(3, 1, batch_first=True)),
        "conv": nn.Sequential(nn.Conv1d(4, 4, 1), nn.GroupNorm(2, 4), nn.InstanceNorm1d(4, track_running_stats=True)),
        "spectral": norm.spectral_norm(nn.Linear(3, 3)),
        "weight_norm": norm.weight_norm(nn.Linear(3, 3)),
        "looking": Looking(),
        "recomputed": Recomputed(),
    }


class Pair(nn.Module):
    """Calls a module with its input twice."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x, x)


class Attending(Pair):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x, x, x)[0]


class Recomputed(nn.Module):
    """A layer under activation checkpointing."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        from torch.utils.checkpoint import checkpoint

        return checkpoint(self.linear, x, use_reentrant=False)  # type: ignore[no-any-return]


def clean_modules(steps: int = 4) -> None:
    """Modules that keep things of their own, under one optimizer with a scaler, a moving average and a metric."""
    with samerun.start("modules", seed=7) as run:
        model = nn.ModuleDict(modules_of())
        optim = torch.optim.AdamW(model.parameters(), 1e-2)
        scaler = torch.amp.GradScaler("cpu")
        average = torch.optim.swa_utils.AveragedModel(model["batchnorm"])
        handle = model["rnn"].register_forward_hook(lambda *_: None)
        run.track(model=model, optim=optim, scaler=scaler, average=average)
        for step in run.steps(steps):
            x = torch.rand(2, 4, 3)
            outputs = [run_one(name, model[name], x) for name in model]
            loss = sum(out.square().mean() for out in outputs)
            optim.zero_grad()
            scaler.scale(loss).backward()
            scaler.unscale_(optim)
            norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optim)
            scaler.update()
            average.update_parameters(model["batchnorm"])
            step.log(loss=loss, norm=norm)
    assert handle is not None and float(norm) >= 0


def run_one(name: str, module: nn.Module, x: torch.Tensor) -> torch.Tensor:
    out = module(x.flatten(0, 1) if name == "batchnorm" else x)
    return out[0] if isinstance(out, tuple) else out


class Running:
    """A meter that is cleared at the beginning of each step."""

    def __init__(self) -> None:
        self.values: list[float] = []

    def reset(self) -> None:
        self.values = []

    def add(self, value: float) -> None:
        self.values.append(value)

    @property
    def mean(self) -> float:
        return sum(self.values) / len(self.values)


def clean_loop(steps: int = 4) -> None:
    """Variables of all kinds that no step reads before it assigns them, and state that is saved as it should be."""
    with samerun.start("clean", seed=7) as run:
        model, running, fixed = model_of_three(), Running(), [1, 2, 3]
        optim = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
        own = run.stream("own").numpy()
        run.track(model=model, optim=optim, own=own)
        started = {"text": "a constant"}
        names = sorted(started)
        for step in run.steps(steps):
            running.reset()
            losses = []
            for _ in range(2):
                with torch.enable_grad():
                    loss = model(torch.rand(4, 3)).square().mean()
                losses.append(loss)
                running.add(loss.item())
            total = sum(losses)
            try:
                ratio = losses[0].item() / losses[1].item()
            except ZeroDivisionError:
                ratio = 0.0
            optim.zero_grad()
            total.backward()
            optim.step()
            noise = own.random()
            best = run.values.get("best", float("inf"))
            run.values["best"] = min(best, total.item())
            history = run.values.setdefault("history", [])
            history.append(ratio)
            shown = [f"{name}{item}" for name in names for item in fixed]
            if step.index % 2 == 0:
                extra = step.index
                step.log(extra=extra)
            with run.evaluation("probe") as evaluation:
                evaluation.log(error=model(torch.ones(1, 3)).sum())
            step.log(loss=total, noise=noise, mean=running.mean)
    print(total, len(shown), ratio)


def clean_epochs(workers: int = 0, kind: str = "torch", steps: int = 5) -> None:
    """Epochs over a torch DataLoader or our own loader."""
    with samerun.start("epochs", seed=7) as run:
        model = model_of_three()
        optim = torch.optim.SGD(model.parameters(), 0.1)
        items = torch.utils.data.TensorDataset(torch.linspace(0, 1, 24).reshape(8, 3))
        tracked: dict[str, Any] = {"model": model, "optim": optim}
        loader: Any
        if kind == "torch":
            loader = torch.utils.data.DataLoader(items, 2, shuffle=True, num_workers=workers)
        else:
            loader = run.loader(Plain(), 2, num_workers=workers)
            tracked["loader"] = loader
        run.track(**tracked)
        for epoch in run.epochs(2):
            for step, batch in epoch.steps(loader, accumulate=2 if kind == "torch" else 1):
                x = batch[0] if kind == "torch" else batch
                loss = model(x).square().mean()
                if step.micro == 0:
                    optim.zero_grad()
                loss.backward()
                if step.is_update:
                    optim.step()
                    step.log(loss=loss)


class Plain(torch.utils.data.Dataset[torch.Tensor]):
    """A data set that keeps nothing."""

    draws = "none"

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.full((3,), index / 8)
