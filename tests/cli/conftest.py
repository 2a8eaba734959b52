"""`samerun(...)` runs a command in a process of its own; `made` is a folder of runs that tests only read."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from warm_process import Done, WarmProcess

LOOP = """
import argparse

import torch

import samerun

parser = argparse.ArgumentParser()
parser.add_argument("--rate", type=float, default=0.1)
cfg = parser.parse_args()

with samerun.start("loop", config=cfg, seed=7) as run:
    print("the script speaks")
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(0.2), torch.nn.Linear(8, 1))
    optim = torch.optim.SGD(model.parameters(), cfg.rate, momentum=0.9)
    run.track(model=model, optim=optim)
    for step in run.steps(8):
        loss = model(torch.rand(6, 4)).square().mean()
        optim.zero_grad()
        loss.backward()
        optim.step()
        step.log(loss=loss)
"""


class Samerun(Protocol):
    """Run a command: in the test's own folder unless `cwd` says otherwise; keywords are variables."""

    def __call__(self, *arguments: object, cwd: Path | None = None, **variables: str) -> Done: ...


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarmProcess]:
    process = WarmProcess(tmp_path_factory.mktemp("commands"))
    yield process
    process.close()


@pytest.fixture
def samerun(warm: WarmProcess, tmp_path: Path) -> Samerun:
    def run(*arguments: object, cwd: Path | None = None, **variables: str) -> Done:
        return warm.run(*arguments, cwd=cwd or tmp_path, **variables)

    return run


@pytest.fixture(scope="session")
def made(warm: WarmProcess, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with runs: `first` (stopped at 3 of 6 steps, resumed), `second`, `other` (rate), `script`."""
    place = tmp_path_factory.mktemp("made")
    (place / "loop.py").write_text(LOOP)
    tiny = ["train", "digits", "-s", "steps=6", "-s", "schedule.kind=constant", "-s", "model.hidden=[8]"]
    tiny += ["-s", "evaluate.every=4", "-s", "checkpoint.every=2", "-q"]
    commands = [
        ([*tiny, "--name", "first", "--stop-after", "3"], 75),
        (["resume", "first", "-q"], 0),
        ([*tiny, "--name", "second"], 0),
        ([*tiny, "--name", "other", "-s", "optimizer.learning_rate=0.01", "-s", "checkpoint.best=null"], 0),
        (["train", "loop.py", "--name", "script", "-q", "--", "--rate", "0.2"], 0),
    ]
    for arguments, code in commands:
        done = warm.run(*arguments, cwd=place)
        assert done.code == code, done.err
    return place
