"""Train a recipe, or evaluate a checkpoint of one: from a resolved config to a finished run.

What the run is (its facts and source) is opening.py's work, the loop fit.py's, everything that learns the trainer's.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from samerun.checkpoint.read import Checkpoint
from samerun.config.parts import find_part, load_build
from samerun.config.resolved import Config
from samerun.data.loader import Loader
from samerun.errors import NoMatchError
from samerun.run.launch import LaunchOptions
from samerun.run.open import open_run
from samerun.state.restore import load_into
from samerun.streams import ambient
from samerun.streams.stream import StreamSource
from samerun.tiers.enforce import enforce
from samerun.trainers.fit import EVALUATION, FitSettings, fit
from samerun.trainers.opening import recipe_opening
from samerun.trainers.starting import starting_weights
from samerun.trainers.trainer import Plan


def train_recipe(config: Config, options: LaunchOptions, project: Path) -> None:
    """Train what a resolved recipe says, or go on with the run of its name and identity.

    Data is read and refused before a run folder is made. Raises Stopped when the run was stopped, ConfigError for bad
    input, LockedError for a live run; everything else as `open_run` and the trainer do.
    """
    values = config.values
    enforce(values.tier, values.threads, values.exact_except, values.device)
    plan = prepare(config, project)
    runs = options.runs or Path("runs")
    with open_run(recipe_opening(config, project, runs), options) as run:
        for path in plan.inputs:
            run.input(path)
        weights = None
        if values.init is not None and not run.resumed:
            weights = starting_weights(values.init, run, project, runs)
        settings = FitSettings(
            steps=values.steps,
            evaluate_every=values.evaluate.every,
            split=plan.splits[0],
            lists_operations=values.tier == "exact",
            recheck_every=values.recheck_every,
        )
        fit(run, plan.start(run, weights), settings, plan.early_stop)


def prepare(config: Config, project: Path) -> Plan:
    """Read a recipe's data and check that its parts fit together."""
    plan: Plan = load_build(find_part("trainers", config.values.trainer, project))(config.values, project)
    return plan


def evaluate_checkpoint(
    config: Config, checkpoint: Checkpoint, project: Path, *, seed: int, split: str = "test", limit: int | None = None
) -> dict[str, float]:
    """Return the metrics of a checkpoint's weights on a split, under the settings and tier of its run.

    `seed` is the run's. Nothing is written. Raises NoMatchError SR-TRAINER-014 for a split that the data does not have,
    RefusedError where the checkpoint does not fit the recipe.
    """
    values = config.values
    enforce(values.tier, values.threads, values.exact_except, values.device)
    plan = prepare(config, project)
    if split not in plan.splits:
        raise NoMatchError(
            "SR-TRAINER-014",
            f"--split: there is no split '{split}'",
            evidence=[f"splits: {', '.join(plan.splits)}"],
            do=f"--split {plan.splits[0]}",
        )
    source = StreamSource(seed)
    with ambient.scope(source.open("ambient/evaluation/{name}/{step}", name=EVALUATION, step=checkpoint.step)):
        trainer = plan.start(_WithoutRun(source))
        for name, thing in trainer.state().items():
            load_into(thing, checkpoint.tree(name), name=name)
        return dict(trainer.evaluate(split, limit))


class _WithoutRun:
    """What a trainer is built in when nothing is trained: streams and a loader, no run."""

    def __init__(self, source: StreamSource) -> None:
        self.source = source

    def loader(self, dataset: Any, batch_size: int, **options: Any) -> Loader:
        return Loader(dataset, batch_size, source=self.source, **options)
