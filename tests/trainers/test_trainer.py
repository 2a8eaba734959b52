"""The seam between a loop and what it trains."""

from __future__ import annotations

from samerun.run.run import Run
from samerun.run.step import Step
from samerun.streams.source import StreamSource
from samerun.trainers.supervised.plan import SupervisedPlan
from samerun.trainers.supervised.trainer import SupervisedTrainer
from samerun.trainers.trainer import Loaders, Plan, StepScope, Trainer


def names_of(protocol: type) -> set[str]:
    return {name for name in vars(protocol) if not name.startswith("_")}


def test_a_trainer_has_four_verbs_and_the_supervised_one_has_no_other() -> None:
    assert names_of(Trainer) == {"state", "collect", "learn", "evaluate"}
    assert {name for name in vars(SupervisedTrainer) if not name.startswith("_")} == names_of(Trainer)


def test_what_a_trainer_sees_of_a_step_a_run_and_a_plan_is_there() -> None:
    assert names_of(StepScope) <= set(dir(Step(0, StreamSource(1))))
    assert names_of(Loaders) - {"source"} <= set(dir(Run))
    assert names_of(Plan) <= set(dir(SupervisedPlan))
