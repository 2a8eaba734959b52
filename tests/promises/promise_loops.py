"""Small real training loops, with everything that breaks resumes in public: what the promise tests run, stop and kill.

`options` are JSON values. Each loop is a function at the top of this module, so that a new process can import it.
"""

from __future__ import annotations

import json
import os
import random
import signal
import threading
from pathlib import Path
from typing import Any

import numpy as np
import promise_objects
import torch
from torch import nn
from torch.nn.functional import cross_entropy

import samerun
from samerun.base import clock, files

DIED = 99
NUM_ITEMS, NUM_FEATURES, NUM_CLASSES = 44, 6, 3


class Items(torch.utils.data.Dataset[Any]):
    """Items in memory that are augmented with draws from all three global generators."""

    def __init__(self) -> None:
        generator = torch.Generator().manual_seed(1)
        self.x = torch.rand(NUM_ITEMS, NUM_FEATURES, generator=generator)
        self.y = torch.randint(NUM_CLASSES, (NUM_ITEMS,), generator=generator)

    def __len__(self) -> int:
        return NUM_ITEMS

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        noise = torch.rand(NUM_FEATURES) + random.random() + float(np.random.rand())
        return self.x[index] + 0.01 * noise, self.y[index]


class Deadly(Items):
    """Kills the process that makes one of its items, once: a file remembers."""

    def __init__(self, remembered: Path) -> None:
        super().__init__()
        self.remembered = remembered

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        if index == 17 and not self.remembered.exists():
            self.remembered.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__getitem__(index)


class Average:
    """A moving average of the weights with a counter of its own: state that is easily forgotten."""

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        self.count = 0
        self.values = [parameter.detach().clone() for parameter in model.parameters()]

    def update(self) -> None:
        self.count += 1
        for value, parameter in zip(self.values, self.model.parameters(), strict=True):
            value.lerp_(parameter.detach(), 1.0 / min(self.count, 4))

    def state_dict(self) -> dict[str, Any]:
        return {"count": self.count, "values": self.values}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.count, self.values = state["count"], list(state["values"])


def network() -> nn.Module:
    return nn.Sequential(
        nn.Linear(NUM_FEATURES, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, NUM_CLASSES)
    )


def plain(options: dict[str, Any]) -> None:
    """Batches by `next`, draws from named and tracked generators, diagnostics and evaluations that draw."""
    checkpoint = options.get("checkpoint", {"every": 3})
    with samerun.start(
        options.get("name", "plain"), config={"lr": options.get("lr", 0.01)}, seed=7, checkpoint=checkpoint
    ) as run:
        model = network()
        optim = torch.optim.AdamW(model.parameters(), options.get("lr", 0.01))
        items, told = Items(), None
        if "deadly" in options:
            items = Deadly(Path(options["deadly"]))
            told = items.remembered.write_text
        batches = run.loader(items, batch_size=8, num_workers=options.get("workers", 0), on_restart=told)
        own = run.stream("own").numpy()
        run.track(model=model, optim=optim, batches=batches, own=own)
        for step in run.steps(options.get("steps", 9)):
            x, y = next(batches)
            x = x + 0.01 * torch.from_numpy(step.stream("noise").uniform(x.shape)).float() + 0.001 * own.random()
            loss = cross_entropy(model(x), y)
            optim.zero_grad()
            loss.backward()
            optim.step()
            run.values["seen"] = run.values.get("seen", 0) + len(y)
            step.log(loss=loss, seen=run.values["seen"])
            if options.get("extra_stream"):
                step.stream("extra").uniform(3)
            if options.get("signal_at") == step.index:
                send(options["signal"], options.get("times", 1), to_group=options.get("to_group", False))
            if options.get("draw_at") == step.index:
                torch.rand(1)
            if options.get("extra_metric"):
                step.log({"watch/extra": 1.0})
            beside(run, step.index, model, options)


def send(number: int, times: int, *, to_group: bool) -> None:
    """Send this process (or its whole group) a signal in mid-step, and give the watcher time to read it."""
    for _ in range(times):
        (os.killpg(0, number) if to_group else os.kill(os.getpid(), number))
        clock.sleep(0.5)


def beside(run: samerun.Run, index: int, model: nn.Module, options: dict[str, Any]) -> None:
    """Whatever watches: evaluations that sample and fail, diagnostics that draw globally."""
    every = options.get("evaluate_every", 0)
    if every and index % every == 0:
        try:
            with run.evaluation("watch") as evaluation, torch.no_grad():
                model.eval()
                evaluation.stream("sample").uniform(5)
                evaluation.log(score=model(torch.rand(4, NUM_FEATURES)).sum() + random.random())
                if options.get("evaluation_fails"):
                    raise ArithmeticError("a failing metric")
        except ArithmeticError:
            pass
    if options.get("diagnostic"):
        with run.scope("diagnostic"):
            torch.randn(3), random.random(), np.random.rand()


def epochs(options: dict[str, Any]) -> None:
    """Epochs with accumulation, autocast, a loss scaler, milestones, an average, and an evaluation that decides."""
    with samerun.start("epochs", config={}, seed=11, checkpoint=options.get("checkpoint", {"every": 2})) as run:
        model = network()
        optim = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
        scheduler = torch.optim.lr_scheduler.MultiStepLR(optim, [1, 2], gamma=0.5)
        scaler = torch.amp.GradScaler("cpu", init_scale=2.0**24, growth_interval=3)
        average = Average(model)
        items = Items()
        batches = run.loader(items, batch_size=8, num_workers=options.get("workers", 0))
        run.track(model=model, optim=optim, scheduler=scheduler, scaler=scaler, average=average, batches=batches)
        for epoch in run.epochs(3):
            for step, (x, y) in epoch.steps(batches, accumulate=4):
                with torch.autocast("cpu", dtype=torch.float16):
                    loss = cross_entropy(model(x), y) / 4
                scaler.scale(loss).backward()
                if step.is_update:
                    scaler.step(optim)
                    scaler.update()
                    optim.zero_grad()
                    average.update()
                    step.log(loss=loss, rate=scheduler.get_last_lr()[0])
            scheduler.step()
            with run.evaluation("validate") as evaluation, torch.no_grad():
                model.eval()
                evaluation.log(accuracy=(model(items.x).argmax(1) == items.y).float().mean())


def window(options: dict[str, Any]) -> None:
    """Gradients accumulated over several steps by hand: they are state between steps, and are tracked."""
    with samerun.start("window", config={}, seed=3, checkpoint={"every": 1}) as run:
        model = network()
        optim = torch.optim.SGD(model.parameters(), 0.1)
        batches = run.loader((Items().x, Items().y), batch_size=8)
        run.track(model=model, optim=optim, batches=batches, gradients=model)
        for step in run.steps(10):
            x, y = next(batches)
            loss = cross_entropy(model(x), y)
            loss.backward()
            if step.index % 4 == 3:
                optim.step()
                optim.zero_grad()
            step.log(loss=loss)


objects = promise_objects.objects
LOOPS = {"plain": plain, "epochs": epochs, "window": window}


def mishap(options: dict[str, Any]) -> None:
    """Run `options["loop"]` and let it come to harm: at an operation on files, or by a signal after a while."""
    if "die_at" in options:
        die_at_operation(options["die_at"])
    if "fail_at" in options:
        fail_at_operation(options["fail_at"], options["errno"])
    for number, delay in options.get("signals", ()):
        threading.Timer(delay, os.kill, (os.getpid(), number)).start()
    if "slow" in options:
        slow_down(options["slow"])
    LOOPS[options["loop"]](options)


def count_operations(options: dict[str, Any]) -> None:
    """Run a loop and leave the number of operations on files in `options["answer"]`."""
    seen: list[str] = []
    files.on_operation(lambda operation, path: seen.append(operation))
    LOOPS[options["loop"]](options)
    files.on_operation(None)
    Path(options["answer"]).write_text("\n".join(seen))


def die_at_operation(number: int) -> None:
    """End the process without a word right before the operation `number` (from 0)."""
    left = [number]

    def hook(operation: str, path: Path) -> None:
        left[0] -= 1
        if left[0] < 0:
            os._exit(DIED)

    files.on_operation(hook)


def fail_at_operation(number: int, code: int) -> None:
    """Let every operation from `number` on fail with an errno, as a full disk does."""
    left = [number]

    def hook(operation: str, path: Path) -> None:
        left[0] -= 1
        if left[0] < 0 and operation in ("write", "mkdir"):
            raise OSError(code, os.strerror(code), str(path))

    files.on_operation(hook)


def slow_down(seconds: float) -> None:
    """Make each optimizer step take a while, so that signals meet it."""
    step = torch.optim.AdamW.step

    def slow(self: Any, *arguments: Any, **named: Any) -> Any:
        clock.sleep(seconds)
        return step(self, *arguments, **named)

    torch.optim.AdamW.step = slow  # type: ignore[method-assign]


def mishap_in_a_group(options: dict[str, Any]) -> None:
    """Like `mishap`, in a process group of its own."""
    os.setpgid(0, 0)
    mishap(options)


def recipe(options: dict[str, Any]) -> None:
    """Train a recipe of the package with settings."""
    from samerun.rerun.train import train
    from samerun.run.launch import current_options

    launched = current_options()
    train(options["recipe"], options["settings"], runs=launched.runs, stop_after=launched.stop_after, quiet=True)


def crowd(options: dict[str, Any]) -> None:
    """Start one loop `options["number"]` times in one instant, a process each; leave how each ended in a file."""
    waiting, go = os.pipe()
    children = []
    for _ in range(options["number"]):
        child = os.fork()
        if child == 0:
            os.close(go)
            os.read(waiting, 1)  # ends for all of them when the parent closes the other side
            os._exit(one_of_a_crowd())
        children.append(child)
    os.close(waiting)
    os.close(go)
    ends = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    Path(options["answer"]).write_text(json.dumps(ends))


def one_of_a_crowd() -> int:
    try:
        with samerun.start("crowd", config={}, seed=7, checkpoint={"every": 1}) as run:
            for step in run.steps(2):
                run.values["sum"] = run.values.get("sum", 0.0) + float(step.stream("move").uniform())
                step.log(sum=run.values["sum"])
    except samerun.errors.SamerunError as error:
        return int(error.exit_code)
    except Exception:  # noqa: BLE001 - whatever it is, the test sees another number
        return 70
    return 0
