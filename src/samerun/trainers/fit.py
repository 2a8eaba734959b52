"""Train: the short way from a trainer to a finished run. The loop is the run's own (`run.steps`); this file only says
what happens in its body and when an evaluation is due.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from samerun.trainers.early_stop import EarlyStop
from samerun.trainers.recheck import learn_once_thrown_away, learn_twice
from samerun.trainers.trainer import Trainer

if TYPE_CHECKING:
    from samerun.run.run import Run

EVALUATION = "evaluate"
"""Name of the evaluation of training runs: its columns are `evaluate/...`."""


def _unmarked(phase: str) -> None:
    """Measure nothing."""


@dataclass(frozen=True)
class FitSettings:
    """How far to train, and what to do between steps."""

    steps: int
    evaluate_every: int
    """Steps between evaluations; 0 is never."""
    split: str
    """What is evaluated."""
    lists_operations: bool
    """Whether step 0 is made once beforehand to list operations without a deterministic kernel, and thrown away."""
    recheck_every: int = 0
    """Steps between those that are made twice and compared; 0 is never."""
    mark: Callable[[str], None] = _unmarked
    """Told of the end of each phase of a step."""


def fit(run: Run, trainer: Trainer, settings: FitSettings, early_stop: EarlyStop | None = None) -> None:
    """Train until `settings.steps` steps are complete, or until `early_stop` ends the run."""
    run.track(**trainer.state())
    if early_stop is not None:
        run.track(early_stop=early_stop)
    for step in run.steps(settings.steps):
        batch = trainer.collect(step)
        settings.mark("collect")
        if settings.lists_operations and step.index == 0:
            learn_once_thrown_away(trainer, step, batch)
        if settings.recheck_every and (step.index + 1) % settings.recheck_every == 0:
            step.log(learn_twice(trainer, step, batch))
            step.is_rechecked = True
        else:
            step.log(trainer.learn(step, batch))
        settings.mark("learn")
        if settings.evaluate_every and (step.index + 1) % settings.evaluate_every == 0:
            with run.evaluation(EVALUATION) as evaluation:
                numbers = trainer.evaluate(settings.split)
                evaluation.log(numbers)
            settings.mark("evaluate")
            columns = {f"{EVALUATION}/{name}": value for name, value in numbers.items()}
            if early_stop is not None and early_stop.should_stop(columns):
                run.finish()
