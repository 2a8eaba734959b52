"""Make a step again from a copy of its state: to throw it away (and list what it did), or to compare the two results.

What the copy holds is the trainer's tracked state; how it is taken and put back is run/tracked.py's work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samerun.errors import ExitCode, RefusedError, SamerunError
from samerun.run.tracked import Tracked
from samerun.tiers.census import census
from samerun.trainers.trainer import Numbers, Trainer

if TYPE_CHECKING:
    from samerun.run.step import Step


class NotDeterministic(SamerunError):
    """A step that was made twice gave two results."""

    exit_code = ExitCode.DIFFERENT


def learn_once_thrown_away(trainer: Trainer, step: Step, batch: Any) -> None:
    """Make the step, list its operations without a deterministic kernel, and leave no trace of it.

    Raises RefusedError SR-TRAINER-006 that names all of them; those that `exact_except` allows are not listed.
    """
    tracked = Tracked.of(trainer.state())
    before = tracked.copy()
    findings = census(lambda: _learn(trainer, step, batch))
    tracked.put_back(before)
    step.reset_ambient()
    if findings:
        names = ", ".join(sorted({finding.op for finding in findings}))
        raise RefusedError(
            "SR-TRAINER-006",
            f"tier exact: {len(findings)} operation(s) of a step have no deterministic kernel here",
            evidence=[finding.line() for finding in findings],
            do=f"use a substitute, or allow them: -s 'exact_except=[{names}]', or -s tier=fast",
        )


def learn_twice(trainer: Trainer, step: Step, batch: Any) -> Numbers:
    """Make the step, go back, make it again, and compare the states bit for bit; return its numbers.

    Raises NotDeterministic SR-TRAINER-007 that names the components which differ.
    """
    tracked = Tracked.of(trainer.state())
    before = tracked.copy()
    trainer.learn(step, batch)
    first = tracked.digests()
    tracked.put_back(before)
    step.reset_ambient()
    numbers = trainer.learn(step, batch)
    second = tracked.digests()
    different = sorted(name for name in first if first[name] != second[name])
    if different:
        raise NotDeterministic(
            "SR-TRAINER-007",
            f"step {step.index} was made twice from the same state and gave two results",
            evidence=[f"{name}: {first[name]} and {second[name]}" for name in different],
            do="samerun doctor   # names kernels outside torch's flag",
        )
    return numbers


def _learn(trainer: Trainer, step: Step, batch: Any) -> None:
    trainer.learn(step, batch)
