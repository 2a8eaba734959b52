"""The ways in which a recipe is run to see what exactness costs, and which are compared. Running them is price.py's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from samerun.config.layers import resolve
from samerun.config.resolved import Config


@dataclass(frozen=True)
class Variant:
    """One way to run the recipe."""

    name: str
    settings: tuple[str, ...]
    guard: str | None = None


VARIANTS: Final = (
    Variant("exact", ("tier=exact", "trail.state_every=1", "recheck_every=0")),
    Variant("fast", ("tier=fast", "exact_except=[]", "trail.state_every=1", "recheck_every=0")),
    Variant("alike", ("tier=fast", "exact_except=[]", "trail.state_every=1", "recheck_every=0")),
    Variant("thin", ("tier=exact", "trail.state_every=0", "recheck_every=0")),
    Variant("twice", ("tier=exact", "trail.state_every=1", "recheck_every=1")),
    Variant("guarded", ("tier=exact", "trail.state_every=1", "recheck_every=0"), guard="record"),
)
COMPARED: Final[Mapping[str, tuple[str, str, str]]] = {
    "tier": ("exact", "fast", "tier exact over fast, each with its own threads"),
    "kernels": ("exact", "alike", "tier exact over fast, with the threads of exact"),
    "trail": ("exact", "thin", "a state digest at every step over none"),
    "recheck": ("twice", "exact", "every step made twice over once"),
    "guard": ("guarded", "exact", "guard record over none"),
}
"""Setting -> the variant with it, the one without, and both in words."""


def config_of(recipe: str, given: Sequence[str], variant: Variant, steps: int, project: Path) -> Config:
    """Return the recipe as this variant has it: short, without evaluations and checkpoints, its schedule unmoved."""
    whole = resolve(recipe, given, project=project)
    horizon = whole.values.horizon_steps or max(1, whole.values.steps)
    quiet = ["evaluate.every=0", f"checkpoint.every={10 * steps}", "checkpoint.best=null"]
    if "early_stop" in type(whole.values).model_fields:
        quiet.append("early_stop=null")
    far = [f"steps={steps}", f"horizon_steps={horizon}"]
    threads = [f"threads={threads_of('exact', whole)}"] if variant.name == "alike" else []
    return resolve(recipe, [*given, *quiet, *far, *variant.settings, *threads], project=project)


def enforce_exact(config: Config) -> str:
    """Enforce the tier that must come before CUDA starts, and return the device."""
    from samerun.tiers.enforce import enforce

    values = config.values
    return enforce(values.tier, values.threads, values.exact_except, values.device).device


def threads_of(tier: str, config: Config) -> int:
    """Return the threads that a recipe gets under a tier."""
    from samerun.tiers.tier import resolve_threads, tier_of

    return resolve_threads(tier_of(tier), config.values.threads)
