"""Start-up of the command line, against `python -c "import click"`; memory of a run, against the bare loop."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from measure import Figure, human, in_turns

SAMERUN = str(Path(sys.executable).with_name("samerun"))
RUNS = 200
BARE = """
import torch
from sklearn.datasets import load_digits
pixels, labels = (torch.from_numpy(array) for array in load_digits(return_X_y=True))
images = pixels.float() / 16
layers = [torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Linear(128, 64), torch.nn.ReLU()]
model = torch.nn.Sequential(*layers, torch.nn.Dropout(0.1), torch.nn.Linear(64, 10))
optim = torch.optim.AdamW(model.parameters(), 2e-3)
for step in range(1200):
    at = torch.arange(64) + step * 64 % 1700
    loss = torch.nn.functional.cross_entropy(model(images[at]), labels[at])
    optim.zero_grad(); loss.backward(); optim.step()
"""


def figures() -> list[Figure]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        _make_runs(folder)
        # Once before: `ls` must not be timed while it fills a cache that every later one has.
        lists = _command(SAMERUN, "ls", "--runs", str(folder / "runs"))
        found = [_start("samerun --help", _command(SAMERUN, "--help")), _start(f"samerun ls of {RUNS} runs", lists)]
        return [*found, _memory(folder)]


def _command(*words: str) -> Callable[[], object]:
    return lambda: subprocess.run(words, check=True, capture_output=True)


def _start(name: str, ours: Callable[[], object]) -> Figure:
    pair = in_turns(ours, _command(sys.executable, "-c", "import click"))
    note = 'against `python -c "import click"`'
    return Figure(name, human(pair.ours), human(pair.theirs), pair.ratio, "<= 3", pair.ratio <= 3.0, note)


def _make_runs(folder: Path) -> None:
    """Make 200 finished runs of two steps of a plain loop, in one process."""
    program = (
        "import samerun, torch\n"
        f"for i in range({RUNS}):\n"
        "    with samerun.start('loop', config={'i': i}, seed=i) as run:\n"
        "        model = torch.nn.Linear(2, 2)\n"
        "        run.track(model=model)\n"
        "        for step in run.steps(2):\n"
        "            step.log(loss=step.index)\n"
    )
    script = folder / "make_runs.py"
    script.write_text(program)
    subprocess.run([sys.executable, str(script)], cwd=folder, check=True, capture_output=True)


def _memory(folder: Path) -> Figure:
    train = [SAMERUN, "train", "digits", "--runs", str(folder / "memory"), "-q"]
    ours, theirs = _peak(train, folder), _peak([sys.executable, "-c", BARE], folder)
    return Figure(
        "peak memory of the `digits` run",
        f"{ours / 1024:.0f} MB",
        f"{theirs / 1024:.0f} MB (bare loop)",
        ours / theirs,
        "<= 1.15",
        ours / theirs <= 1.15,
        "resident set at its highest; both load torch and the data",
    )


def _peak(command: list[str], folder: Path) -> float:
    """Highest resident set of a child in KiB; asked for in a process of its own, since the kernel keeps a maximum."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        os.write(writer, str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return float(text)
