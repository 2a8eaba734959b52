"""Train a recipe, or evaluate a checkpoint of one: from a resolved config to a finished run.

What the run is (its facts and source) is opening.py's work, the loop fit.py's, measuring measure.py's, and everything
that learns the trainer's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from samerun.checkpoint.read import Checkpoint
from samerun.config.parts import find_part, importable, load_build
from samerun.config.resolved import Config
from samerun.config.secrets import read_secrets
from samerun.run.launch import LaunchOptions
from samerun.run.open import open_run
from samerun.tiers.enforce import enforce
from samerun.trainers.fit import FitSettings, fit
from samerun.trainers.measure import measure_checkpoint
from samerun.trainers.opening import code_root, recipe_opening
from samerun.trainers.starting import compare_weights, starting_weights
from samerun.trainers.trainer import Plan


def train_recipe(config: Config, options: LaunchOptions, project: Path, data_root: Path | None = None) -> None:
    """Train what a resolved recipe says, or go on with the run of its name and identity.

    Code comes from `project`; relative paths of data start at `data_root`, which is `project` where none is given.
    Data is read and refused before a run folder is made. Raises Stopped when the run was stopped, ConfigError for bad
    input, LockedError for a live run; everything else as `open_run` and the trainer do.
    """
    values = config.values
    enforce(values.tier, values.threads, values.exact_except, values.device)
    data_root = data_root or project
    plan = prepare(config, project, data_root)
    runs = options.runs or Path("runs")
    with open_run(recipe_opening(config, project, runs), options) as run:
        for path in plan.inputs:
            run.input(path)
        weights = None
        if values.init is not None and not run.resumed:
            weights = starting_weights(values.init, run, data_root, runs)
        elif values.init is not None and options.run_folder is None:
            compare_weights(values.init, run, data_root, runs)
        settings = FitSettings(
            steps=values.steps,
            evaluate_every=values.evaluate.every,
            split=plan.splits[0],
            lists_operations=values.tier == "exact",
            recheck_every=values.recheck_every,
            **({} if options.phases is None else {"mark": options.phases.mark}),
        )
        # Loader workers import what they are sent, and a part may import late: as where the part itself was found.
        with importable(code_root(config, project)):
            fit(run, plan.start(run, weights), settings, plan.early_stop)


def prepare(config: Config, project: Path, data_root: Path) -> Plan:
    """Read a recipe's data below `data_root` and check that its parts, found in `project`, fit together."""
    read_secrets(config.values)
    plan: Plan = load_build(find_part("trainers", config.values.trainer, project))(config.values, data_root)
    return plan


def evaluate_checkpoint(
    config: Config,
    checkpoint: Checkpoint,
    project: Path,
    *,
    seed: int,
    split: str = "test",
    limit: int | None = None,
    admit: Callable[[Sequence[Path]], object] = lambda paths: None,
) -> dict[str, float]:
    """Return the metrics of a checkpoint's weights on a split, under the settings and tier of its run.

    `seed` is the run's; `admit` may refuse the files that were read, before anything is measured. Nothing is written.
    Raises what `measure_checkpoint` does, and ConfigError for bad data.
    """
    values = config.values
    enforce(values.tier, values.threads, values.exact_except, values.device)
    plan = prepare(config, project, project)
    admit(plan.inputs)
    return measure_checkpoint(plan, checkpoint, seed, split, limit)
