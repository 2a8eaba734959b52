"""A training step with the guard that records, against the same step without, in turns in one process.

CPU time, so that other work on the machine stays out; the median step of each short run."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

import torch
from measure import Figure, human
from one_loop import Job, digits, loss_of, text_gpt

import samerun

ROUNDS = 10


def figures() -> list[Figure]:
    return [_figure("text-gpt", text_gpt(), 16), _figure("digits", digits(), 300)]


def _figure(name: str, job: Job, steps: int) -> Figure:
    times: dict[str, list[float]] = {"record": [], "none": []}
    with tempfile.TemporaryDirectory() as folder:
        _step_seconds(job, steps, "record", Path(folder))
        for turn in range(ROUNDS):
            for side in list(times) if turn % 2 == 0 else reversed(list(times)):
                times[side].append(_step_seconds(job, steps, side, Path(folder)))
    ratio = statistics.median(a / b for a, b in zip(times["record"], times["none"], strict=True))
    ours, theirs = statistics.median(times["record"]), statistics.median(times["none"])
    note = f"CPU time of the median step; {steps} steps, {ROUNDS} rounds"
    return Figure(
        f"a step of `{name}`, guard `record`",
        human(ours),
        f"{human(theirs)} (no guard)",
        ratio,
        "<= 1.03",
        ratio <= 1.03,
        note,
    )


def _step_seconds(job: Job, steps: int, side: str, folder: Path) -> float:
    taken: list[float] = []
    guard = "record" if side == "record" else None
    with samerun.start("guard", seed=7, threads=1, runs=folder, new=True, guard=guard, trail={"state_every": 1}) as run:
        model = job.make_model()
        optim = torch.optim.AdamW(model.parameters(), job.rate)
        batches = run.loader((job.items, job.targets), batch_size=job.batch_size)
        run.track(model=model, optim=optim, batches=batches)
        began = time.process_time()
        for step in run.steps(steps):
            taken.append(time.process_time() - began)
            began = time.process_time()
            x, y = next(batches)
            loss = loss_of(model, x, y)
            optim.zero_grad()
            loss.backward()
            optim.step()
            step.log(loss=loss)
    return statistics.median(taken[1 + steps // 8 :])
