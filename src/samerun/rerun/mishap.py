"""A child that comes to harm on purpose: `samerun train ... --mishap '{"step": 7, ...}'`, an option that is not shown.

A signal in the middle of a step of one of its runs: SIGTERM asks for a stop inside an accumulation window, SIGKILL ends
the process when the step is done and its row is not written. Nothing of the training is changed.
"""

from __future__ import annotations

import json
import os
import signal
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from samerun.base import clock, files

if TYPE_CHECKING:
    from samerun.run.step import Step
    from samerun.run.tracked import Tracked

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

    @classmethod
    def of_argument(cls, text: str) -> Self:
        """Read it in the child."""
        return cls(**json.loads(text))


class MishapWatch:
    """Looks on at the bodies of the steps, and lets the mishap happen when its step comes."""

    def __init__(self, mishap: Mishap) -> None:
        self._mishap = mishap
        self._num_runs = 0
        self._is_armed = True

    def attach(self, tracked: Tracked) -> None:
        """Count the runs of the process."""
        self._num_runs += 1

    def enter(self, step: Step) -> None:
        """Send the signal that asks for a stop, or see to it that the row of this step is never written."""
        mishap = self._mishap
        if not self._is_armed or step.index != mishap.step or self._num_runs != mishap.run:
            return
        if mishap.kind == "kill":
            files.on_operation(_kill_at_the_row)
        elif step.micro == mishap.micro:
            self._is_armed = False
            os.kill(os.getpid(), signal.SIGTERM)
            clock.sleep(SEEN_SECONDS)

    def leave(self, step: Step) -> None:
        """Nothing comes to harm here."""


def _kill_at_the_row(operation: str, path: Path) -> None:
    if operation == "write" and path.name.startswith("metrics"):
        os.kill(os.getpid(), signal.SIGKILL)
