"""Whether a recipe can be trained here as it is written: its device and its tier, as one more line of `doctor`."""

from __future__ import annotations

from pathlib import Path

from samerun.config.layers import resolve
from samerun.errors import MissingError, UsageError
from samerun.record.project import project_root
from samerun.record.subject import is_script
from samerun.tiers.doctor import Line
from samerun.tiers.probe import platform_facts


def fitness(recipe: str | None) -> list[Line]:
    """Say whether the device and tier of a recipe are here; nothing without a recipe.

    Raises UsageError SR-PRICE-001 for a script, ConfigError for a recipe that is none.
    """
    if recipe is None:
        return []
    refuse_script(recipe)
    values = resolve(recipe, project=project_of(recipe)).values
    try:
        facts = platform_facts(values.threads, values.tier, device=values.device)
    except MissingError as error:
        return [Line("recipe", "missing", f"{recipe}: {error.what}; do: {error.do}")]
    place, threads = facts["device"]["kind"], facts["threads"]
    return [Line("recipe", "ok", f"{recipe}: tier {values.tier} on {place} with {threads} thread(s)")]


def project_of(recipe: str) -> Path:
    """Return the project that a recipe's own parts come from."""
    return project_root(Path(recipe) if Path(recipe).exists() else Path.cwd())


def refuse_script(recipe: str) -> None:
    """Raise UsageError SR-PRICE-001 for a script, whose tier and phases are its own."""
    if is_script(recipe):
        raise UsageError(
            "SR-PRICE-001",
            f"{recipe} is a script: its tier and its phases are its own",
            evidence=["wanted: a recipe, a file or a built-in name"],
            do="samerun doctor RECIPE --price, or time the script under each samerun.start(tier=...)",
        )
