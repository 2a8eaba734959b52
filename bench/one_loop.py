"""One training loop in a process of its own, `bare` PyTorch or under `samerun`; prints the seconds of a step.

    python bench/one_loop.py bare|samerun|fast digits|text-gpt STEPS

The two loops are the same lines, apart from what samerun asks for. The first fifth of the steps is not timed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import torch

torch.set_num_threads(1)
Batches = Iterator[tuple[torch.Tensor, torch.Tensor]]


@dataclass(frozen=True)
class Job:
    """What both loops train."""

    items: torch.Tensor
    targets: torch.Tensor
    batch_size: int
    make_model: Callable[[], torch.nn.Module]
    rate: float


def digits() -> Job:
    from sklearn.datasets import load_digits

    pixels, labels = (torch.from_numpy(array) for array in load_digits(return_X_y=True))

    def model() -> torch.nn.Module:
        layers = [torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Linear(128, 64)]
        return torch.nn.Sequential(*layers, torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Linear(64, 10))

    return Job(pixels.float() / 16, labels, 64, model, 2e-3)


def text_gpt() -> Job:
    from samerun.trainers.models.config import GptTable
    from samerun.trainers.models.gpt import Gpt

    text = torch.tensor(list((files("samerun") / "recipes/data/genesis.txt").read_bytes()))
    windows = text.unfold(0, 97, 48)
    config = GptTable(layers=4, heads=4, width=64, dropout=0.1)
    return Job(windows[:, :-1].contiguous(), windows[:, 1:].contiguous(), 16, lambda: Gpt(config, 96, 256), 4e-3)


def bare_batches(job: Job) -> Batches:
    while True:
        for chosen in torch.randperm(len(job.items)).split(job.batch_size):
            yield job.items[chosen], job.targets[chosen]


def loss_of(model: torch.nn.Module, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.cross_entropy(model(x).flatten(0, -2), y.flatten())


def bare(job: Job, steps: int) -> float:
    model = job.make_model()
    optim = torch.optim.AdamW(model.parameters(), job.rate)
    batches = bare_batches(job)
    losses = []
    began = 0.0
    for index in range(steps):
        if index == steps // 5:
            began = time.perf_counter()
        x, y = next(batches)
        loss = loss_of(model, x, y)
        optim.zero_grad()
        loss.backward()
        optim.step()
        losses.append(loss.detach())
    return (time.perf_counter() - began) / (steps - steps // 5)


def under_samerun(job: Job, steps: int, tier: str, folder: Path) -> float:
    import samerun

    began = 0.0
    with samerun.start("loop", seed=7, tier=tier, threads=1, runs=folder, trail={"state_every": 1}) as run:
        model = job.make_model()
        optim = torch.optim.AdamW(model.parameters(), job.rate)
        batches = run.loader((job.items, job.targets), batch_size=job.batch_size)
        run.track(model=model, optim=optim, batches=batches)
        for step in run.steps(steps):
            if step.index == steps // 5:
                began = time.perf_counter()
            x, y = next(batches)
            loss = loss_of(model, x, y)
            optim.zero_grad()
            loss.backward()
            optim.step()
            step.log(loss=loss)
            if step.index == steps - 1:
                # The settling of the last step is left out, since the final checkpoint is part of it.
                taken = time.perf_counter() - began
    return taken / (steps - steps // 5)


def main() -> None:
    side, job_name, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
    job = {"digits": digits, "text-gpt": text_gpt}[job_name]()
    if side == "bare":
        print(bare(job, steps))
    else:
        print(under_samerun(job, steps, {"samerun": "exact", "fast": "fast"}[side], Path(sys.argv[4])))


if __name__ == "__main__":
    main()
