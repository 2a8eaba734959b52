"""Make a step again from a copy of its state: to throw it away (and list what it did), or to compare the two results.

What the copy holds is the trainer's tracked state; how it is taken apart and put back is state/'s work.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from samerun.errors import ExitCode, RefusedError, SamerunError
from samerun.state.digest import digest_tree
from samerun.state.restore import load_into, state_of
from samerun.tiers.census import census
from samerun.trainers.trainer import Numbers, Trainer

if TYPE_CHECKING:
    from samerun.run.step import Step


class NotDeterministic(SamerunError):
    """A step that was made twice gave two results."""

    exit_code = ExitCode.DIFFERENT


class HostCopy:
    """The state of a trainer at one instant."""

    def __init__(self, trainer: Trainer) -> None:
        self._objects = trainer.state()
        self._trees: dict[str, Any] = {name: copy.deepcopy(state_of(thing)) for name, thing in self._objects.items()}
        self._digests = {name: digest_tree(tree) for name, tree in self._trees.items()}

    def put_back(self) -> None:
        """Restore what has changed since; what has not (a loader) is left alone."""
        for name, digest in digests_of(self._objects).items():
            if digest != self._digests[name]:
                load_into(self._objects[name], copy.deepcopy(self._trees[name]), name=name)


def digests_of(objects: dict[str, object]) -> dict[str, str]:
    """Digest each object's state as it is now."""
    return {name: digest_tree(state_of(thing)) for name, thing in objects.items()}


def learn_once_thrown_away(trainer: Trainer, step: Step, batch: Any) -> None:
    """Make the step, list its operations without a deterministic kernel, and leave no trace of it.

    Raises RefusedError SR-TRAINER-006 that names all of them; those that `exact_except` allows are not listed.
    """
    before = HostCopy(trainer)
    findings = census(lambda: _learn(trainer, step, batch))
    before.put_back()
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
    before = HostCopy(trainer)
    trainer.learn(step, batch)
    first = digests_of(trainer.state())
    before.put_back()
    step.reset_ambient()
    numbers = trainer.learn(step, batch)
    second = digests_of(trainer.state())
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
