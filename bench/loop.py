"""A training step under samerun, with a trail row and state digests at every step, against the bare PyTorch loop.

Each loop runs in a process of its own, in turns; the bare one knows nothing of samerun and of deterministic kernels."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import Figure, human

ONE = str(Path(__file__).with_name("one_loop.py"))
ROUNDS = 5


def figures() -> list[Figure]:
    return [*_pair("digits", 1500, 1.25), *_pair("text-gpt", 50, 1.03)]


def _pair(job: str, steps: int, limit: float) -> list[Figure]:
    times: dict[str, list[float]] = {"bare": [], "samerun": [], "fast": []}
    for turn in range(ROUNDS):
        for side in list(times) if turn % 2 == 0 else reversed(list(times)):
            times[side].append(_seconds(side, job, steps))
    found = []
    for side, tier in (("samerun", "exact"), ("fast", "fast")):
        ratio = statistics.median(a / b for a, b in zip(times[side], times["bare"], strict=True))
        ours, theirs = statistics.median(times[side]), statistics.median(times["bare"])
        found.append(
            Figure(
                f"a step of `{job}`, tier `{tier}`",
                human(ours),
                f"{human(theirs)} (bare loop)",
                ratio,
                f"<= {limit}",
                ratio <= limit,
                f"{human(max(ours - theirs, 0.0))} a step on top; {steps} steps, {ROUNDS} rounds;"
                " in-memory loader (`draws: none`), a trail row and a state digest at every step",
            )
        )
    return found


def _seconds(side: str, job: str, steps: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, ONE, side, job, str(steps), folder], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return float(done.stdout.splitlines()[-1])
