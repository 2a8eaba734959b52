"""What exactness costs here: short runs of a recipe under each setting, in turns, phase by phase.

`doctor --price` prints it. All runs are in this process, in blocks whose order is drawn from a named stream; nothing of
them is kept. How two times become a ratio with an interval is ratios.py's.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from samerun.base import clock, files
from samerun.config.resolved import Config
from samerun.errors import UsageError
from samerun.record.project import runs_folder
from samerun.rerun.fitness import project_of, refuse_script
from samerun.rerun.ratios import Ratio, check_scipy, medians, ratio_of
from samerun.rerun.variants import COMPARED, VARIANTS, Variant, config_of, enforce_exact, threads_of
from samerun.run.launch import LaunchOptions
from samerun.run.phases import Phases
from samerun.streams.source import Streams

STEPS, BLOCKS = 40, 5
WARM_UP = 5
"""Steps at the beginning of each run that do not count: the first one lists operations, memory is not there yet."""
FEWEST_STEPS, FEWEST_BLOCKS = WARM_UP + 3, 3
PHASES = ("collect", "learn", "settle")


@dataclass(frozen=True)
class Cost:
    """The price of one setting: of a whole step, and of each phase."""

    words: str
    step: Ratio
    phases: Mapping[str, Ratio]

    def as_json(self) -> dict[str, Any]:
        """Return the fields that scripts may rely on."""
        phases = {name: ratio.as_json() for name, ratio in self.phases.items()}
        return {"compares": self.words, **self.step.as_json(), "phases": phases}


@dataclass(frozen=True)
class Price:
    """What exactness costs on this machine, for one recipe."""

    recipe: str
    date: str
    device: str
    steps: int
    """Steps that count, in each block."""
    blocks: int
    threads: Mapping[str, int]
    settings: Mapping[str, Cost]

    def as_json(self) -> dict[str, Any]:
        """Return the fields that scripts may rely on."""
        costs = {name: cost.as_json() for name, cost in self.settings.items()}
        return {**vars(self), "threads": dict(self.threads), "settings": costs}


@dataclass(frozen=True)
class _Bench:
    """Where and what to run."""

    configs: Mapping[str, Config]
    project: Path
    folder: Path
    times: dict[str, list[dict[str, float]]] = field(default_factory=dict)
    """Variant -> medians of each block."""

    def run(self, variant: Variant) -> None:
        from samerun.trainers.recipe import train_recipe

        phases = Phases()
        runs = self.folder / variant.name
        options = LaunchOptions(runs=runs, name="price", is_new=True, is_quiet=True, guard=variant.guard, phases=phases)
        gc.collect()
        train_recipe(self.configs[variant.name], options, self.project)
        files.remove(runs)
        self.times.setdefault(variant.name, []).append(medians(phases.steps[WARM_UP:]))


def price(
    recipe: str | Path,
    settings: Sequence[str] = (),
    *,
    steps: int = STEPS,
    blocks: int = BLOCKS,
    runs: Path | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Price:
    """Measure what the tier, the trail, rechecks and the guard cost a step of a recipe on this machine.

    Each block runs every variant once, for `steps` steps, in an order of its own; evaluations and checkpoints are left
    out. The tier of this process is the last variant's afterwards. Raises UsageError SR-PRICE-001 for a script,
    SR-PRICE-002 for too few steps or blocks, MissingError without scipy or for a device that is not here, and what
    training the recipe raises.
    """
    text = str(recipe)
    _check(text, steps, blocks)
    check_scipy()
    project = project_of(text)
    configs = {one.name: config_of(text, [*settings], one, steps, project) for one in VARIANTS}
    place = runs_folder(runs, project)
    folder = files.hidden_sibling(place / "price")
    bench = _Bench(configs, project, folder)
    device = enforce_exact(configs["exact"])
    is_new_place = not place.exists()
    files.make_dir(folder)
    gc.collect()
    gc.freeze()
    try:
        for block in range(blocks):
            say(f"block {block + 1} of {blocks}")
            for number in Streams(seed=0).stream("price", "order", block=block).permutation(len(VARIANTS)):
                bench.run(VARIANTS[int(number)])
    finally:
        gc.unfreeze()
        files.remove(folder)
        if is_new_place and not any(place.iterdir()):
            files.remove(place)
    return Price(
        recipe=text,
        date=clock.utc_now()[:10],
        device=device,
        steps=steps - 1 - WARM_UP,
        blocks=blocks,
        threads={tier: threads_of(tier, configs[tier]) for tier in ("exact", "fast")},
        settings={name: _cost(name, bench.times) for name in COMPARED},
    )


def _check(recipe: str, steps: int, blocks: int) -> None:
    refuse_script(recipe)
    if steps < FEWEST_STEPS or blocks < FEWEST_BLOCKS:
        raise UsageError(
            "SR-PRICE-002",
            f"{steps} steps in {blocks} blocks are too few to say anything",
            evidence=[f"steps: {FEWEST_STEPS} or more ({WARM_UP} do not count)", f"blocks: {FEWEST_BLOCKS} or more"],
            do=f"samerun doctor {recipe} --price --steps {STEPS} --blocks {BLOCKS}",
        )


def _cost(name: str, times: Mapping[str, Sequence[Mapping[str, float]]]) -> Cost:
    with_it, without, words = COMPARED[name]

    def ratio(phase: str) -> Ratio:
        over, under = ([block[phase] for block in times[side]] for side in (with_it, without))
        return ratio_of(over, under, f"{name}/{phase}")

    return Cost(words, ratio("step"), {phase: ratio(phase) for phase in PHASES})
