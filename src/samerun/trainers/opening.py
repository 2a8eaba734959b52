"""What a recipe's run is, before a folder is chosen: its facts, source, and how it is saved. No torch is loaded here,
so that `samerun identity RECIPE` stays light. Training is recipe.py's work.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from samerun.config.parts import Part, PartChoice, find_part
from samerun.config.problems import printable
from samerun.config.resolved import Config
from samerun.record.manifest import Entry
from samerun.record.source import Source, gather
from samerun.run.find import Facts
from samerun.tiers.probe import platform_facts
from samerun.trainers.recorded import recorded

if TYPE_CHECKING:
    from samerun.run.open import Opening

OWN_MODULES = ("samerun.trainers.fit",)
"""What computes in a run of any trainer, beside the trainer's own modules."""


def recipe_opening(config: Config, project: Path, runs: Path) -> Opening:
    """Return what `open_run` needs for a resolved recipe; `project` is the root that its own parts come from.

    Raises MissingError for a device that is not here, ConfigError for a part that is gone.
    """
    # Here, since `identity` asks for the facts alone: what opens a run brings NumPy and checkpoints along.
    from samerun.run.open import Opening
    from samerun.run.policy import save_policy

    facts, source = recipe_facts(config, project)
    values = config.values
    record = recorded(config)
    return Opening(
        name=recipe_name(config),
        runs=runs,
        facts=facts,
        config=record.config,
        source=source,
        entry=Entry("recipe", path=config.submitted_name),
        policy=save_policy(values.checkpoint, values.trail),
        submitted=record.submitted,
        steps=values.steps,
        tier=values.tier,
        exact_except=values.exact_except,
        local={"cwd": printable(str(Path.cwd())), "root": printable(str(project)), **record.local},
    )


def recipe_facts(config: Config, project: Path) -> tuple[Facts, Source]:
    """Return the facts that make this experiment and this platform, and the source among them."""
    values = config.values
    source = recipe_source(config, project)
    counted = {name: value for name, value in config.identity_values().items() if name != "seed"}
    experiment = {"config": counted, "source": source.facts()}
    platform = platform_facts(values.threads, values.tier, device=values.device)
    return Facts(experiment, platform, values.seed, project), source


def recipe_name(config: Config) -> str:
    """Return the label of the run: the recipe's `name`, else the stem of its file."""
    return config.values.name or Path(config.submitted_name).stem or "recipe"


def recipe_source(config: Config, project: Path) -> Source:
    """Gather the source that a recipe uses: the trainer and every chosen part, wherever they come from."""
    own: set[str] = set(OWN_MODULES)
    packages: set[str] = set()
    entries: set[Path] = set()
    for kind, part in _parts(config, project):
        module = part.build.partition(":")[0]
        if part.project is not None:
            entries.update(_files_of(project, (kind.partition(":")[0], module)))
        elif module.split(".")[0] == "samerun":
            own.add(module)
        else:
            packages.add(module.split(".")[0])
    return gather(project, sorted(entries), own_modules=sorted(own), packages=sorted(packages), why="part")


def code_root(config: Config, project: Path) -> Path | None:
    """Return the project if a part of the recipe is its code, None if all of them are installed."""
    return project if any(part.project is not None for _, part in _parts(config, project)) else None


def _parts(config: Config, project: Path) -> Iterator[tuple[str, Part]]:
    yield config.values.trainer, find_part("trainers", config.values.trainer, project)
    for value in dict(config.values).values():
        if isinstance(value, PartChoice):
            yield value.kind, value.part


def _files_of(project: Path, modules: tuple[str, ...]) -> Iterator[Path]:
    """Find the files of a project's modules, at its root or under src/, and of the packages that they are in."""
    for module in modules:
        for base in (project, project / "src"):
            place = base.joinpath(*module.split("."))
            packages = [folder for folder in place.parents if folder != base and folder.is_relative_to(base)]
            inits = [folder / "__init__.py" for folder in (place, *packages)]
            yield from (file for file in (place.with_suffix(".py"), *inits) if file.is_file())
