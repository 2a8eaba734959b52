"""`make demo`: kill a training run without warning, resume it, and show that nothing about it changed.

Runs the command line as a user would, in fresh processes, inside `.demo/`. Every claim printed here is checked first.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
PLACE = REPOSITORY / ".demo"
RUNS = PLACE / "runs"
SAMERUN = str(Path(sys.executable).with_name("samerun"))
KILL_AFTER = 530
"""Steps; an epoch of the digits has 23 batches, so this is in the middle of the 24th, 130 steps past a checkpoint."""
CHANGE = "optimizer.learning_rate=3e-3"


def say(text: str = "") -> None:
    print(text, flush=True)


def samerun(*arguments: str, wanted: tuple[int, ...] = (0,)) -> dict[str, Any]:
    """Run one command, show it, and return what it answered with `--json`."""
    say(f"  $ samerun {' '.join(arguments)}")
    command = [SAMERUN, *arguments, "--runs", str(RUNS), "--json", "-q"]
    done = subprocess.run(command, cwd=PLACE, capture_output=True, text=True)
    if done.returncode not in wanted:
        fail(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def fail(text: str) -> None:
    say(f"\nThe demo failed: {text}")
    sys.exit(1)


def rows_of(name: str) -> int:
    """Count the steps that a run has recorded so far."""
    logs = list(RUNS.glob(f"{name}-*/metrics.jsonl"))
    return logs[0].read_bytes().count(b"\n") if logs else 0


def train_and_kill(name: str) -> int:
    """Start a training run and end its process with SIGKILL in the middle of an epoch."""
    say(f"  $ samerun train digits --name {name}")
    command = [SAMERUN, "train", "digits", "--name", name, "--runs", str(RUNS), "-q"]
    process = subprocess.Popen(command, cwd=PLACE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and rows_of(name) < KILL_AFTER:
        time.sleep(0.002)
    process.kill()
    _, words = process.communicate()
    if process.returncode != -signal.SIGKILL:
        fail(f"the run ended by itself before it could be killed (exit code {process.returncode})\n{words}")
    return rows_of(name)


def main() -> None:
    began = time.monotonic()
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir()
    say("samerun: will I get the same run twice?\n")

    say("1. Train on 1,797 real handwritten digits, and kill the process without warning (kill -9).")
    steps = train_and_kill("killed")
    say(f"   It died after step {steps}, in the middle of an epoch. Nothing had time to say goodbye.\n")

    say("2. Resume it in a new process. It goes on from its newest checkpoint and ends.")
    resumed = samerun("resume", "killed")
    say(f"   {words_of(resumed)}\n")

    say("3. Train the same recipe again from the start, without any interruption.")
    straight = samerun("train", "digits", "--name", "straight")
    say(f"   {words_of(straight)}\n")

    say("4. Compare the two records: every metric, every random draw, every tensor at every step.")
    verdict = samerun("diff", "killed", "straight", wanted=(0, 1))
    if verdict["verdict"] != "same" or resumed["state_digest"] != straight["state_digest"]:
        fail(f"the two runs are not the same: {verdict['summary']}\n{verdict['first_difference']}")
    say(f"   {verdict['summary']}.")
    say(f"   Both end in the state {straight['state_digest']}. The kill left no trace.\n")

    say(f"5. Change one setting ({CHANGE}) and compare again.")
    changed = samerun("train", "digits", "-s", CHANGE, "--name", "changed")
    verdict = samerun("diff", "straight", "changed", wanted=(0, 1))
    if changed["identity"] == straight["identity"] or verdict["verdict"] != "different":
        fail("a setting changed and the identity did not move, or no difference was found")
    say(f"   The identity moved: {straight['identity']} -> {changed['identity']}.")
    for fact in verdict["sections"]["identity"]:
        say(f"   {fact['path']}: {fact['a']} -> {fact['b']}")
    say(f"   {part(verdict)}\n")

    say(f"All of it took {time.monotonic() - began:.0f} s. The run folders are in .demo/runs; look inside with")
    say("  .venv/bin/samerun show killed --runs .demo/runs")


def words_of(outcome: dict[str, Any]) -> str:
    metrics = outcome["metrics"]
    accuracy = metrics.get("evaluate/accuracy")
    shown = f", accuracy on digits it never saw: {100 * accuracy:.1f} %" if isinstance(accuracy, float) else ""
    return f"{outcome['step']} steps done{shown}."


def part(verdict: dict[str, Any]) -> str:
    first = verdict["first_difference"]
    what = ".".join(word for word in (first["component"], first["leaf"]) if word)
    loss = verdict["sections"]["metrics"]["columns"]["train/loss"]
    return (
        f"The two runs part at step {first['step']}, first in {what};\n"
        f"   the loss differs from step {loss['first_step']} on: {loss['a']} against {loss['b']}."
    )


if __name__ == "__main__":
    main()
