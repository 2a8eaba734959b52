"""A child that comes to harm on purpose: `python -m samerun.rerun.mishap '{"step": 7, ...}' train ...`.

A signal in the middle of a step of one of its runs: SIGTERM asks for a stop inside an accumulation window, SIGKILL ends
the process when the step is done and its row is not written. Nothing of the training is changed.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

SEEN_SECONDS = 0.5
"""How long the body waits at most for the thread that reads signals."""


@dataclass(frozen=True)
class Mishap:
    """Which signal, and when: `step` is the index of the step, `run` which run of the process (from 1)."""

    step: int
    kind: Literal["stop", "kill"] = "stop"
    run: int = 1
    micro: int = 0
    """Micro-batch at whose beginning a stop is asked for, where the step has so many."""

    def as_argument(self) -> str:
        """Spell it for the command line of the child."""
        return json.dumps(asdict(self))


def arm(mishap: Mishap) -> None:
    """Let it happen in this process."""
    from samerun.base import clock, files
    from samerun.run.launch import opened_folders
    from samerun.run.step import Step

    reset, armed = Step.reset_ambient, [True]

    def reset_ambient(self: Step) -> None:
        reset(self)
        if not armed[0] or self.index != mishap.step or len(opened_folders()) != mishap.run:
            return
        if mishap.kind == "kill":
            files.on_operation(_kill_at_the_row)
        elif self.micro == mishap.micro:
            armed[0] = False
            os.kill(os.getpid(), signal.SIGTERM)
            clock.sleep(SEEN_SECONDS)

    Step.reset_ambient = reset_ambient  # type: ignore[method-assign]


def _kill_at_the_row(operation: str, path: Path) -> None:
    if operation == "write" and path.name.startswith("metrics"):
        os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Arm the mishap and run the command, as `python -m samerun` would."""
    arm(Mishap(**json.loads(sys.argv[1])))
    del sys.argv[1]
    runpy.run_module("samerun", run_name="__main__")


if __name__ == "__main__":
    main()
