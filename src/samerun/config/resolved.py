"""A resolved config: frozen values of which each knows the layer that set it, and where it counts.

How it comes about is in layers.py, how it is made again from a run's config.json in restore.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from samerun.base.canon import canonical_bytes
from samerun.base.digest import sha256
from samerun.base.places import hide_paths
from samerun.config.merge import Merged
from samerun.config.origin import Origin
from samerun.config.problems import format_path, has, value_at
from samerun.config.schema import RunTable, Standing
from samerun.config.standing import Leaf, counted, leaves_of, reads_horizon


@dataclass(frozen=True)
class Config:
    """The resolved, frozen settings of a run.

    `values` is an instance of the trainer's table; `plain` is the same as plain JSON with every default written out.
    """

    values: RunTable
    plain: Mapping[str, Any]
    origins: Mapping[str, Origin]
    """Of every leaf, by its path as text."""
    standings: Mapping[str, Standing]
    """Of every leaf: where it counts, and why."""
    submitted: bytes = field(repr=False)
    """The recipe's exact bytes."""
    submitted_name: str
    """Its file name, for `recipe.submitted.<ext>`."""
    notes: tuple[str, ...] = ()
    """What the user should be told: tables that a `kind` reset, `-s` values that replaced others."""
    leaves: tuple[Leaf, ...] = field(default=(), repr=False)

    @property
    def asides(self) -> dict[str, str]:
        """Return the reason of every leaf that is no part of the identity."""
        return {path: at.reason for path, at in self.standings.items() if at.group == "aside"}

    def identity_values(self) -> dict[str, Any]:
        """Return the values that count in the experiment's identity: no asides, no facts of the platform.

        An unset horizon is left out: nothing reads it. A path of this machine is shown as it is recorded.
        """
        kept: dict[str, Any] = hide_paths(counted(self.values, self.plain, self.leaves, "experiment"))[0]
        if kept.get("horizon_steps", 0) is None:
            del kept["horizon_steps"]
        return kept

    def platform_values(self) -> dict[str, Any]:
        """Return the values whose resolved form must stand among the platform's facts: tier, threads, device."""
        return counted(self.values, self.plain, self.leaves, "platform")

    @cached_property
    def digest(self) -> str:
        """Digest of the identity values: the one that decides whether a run may go on."""
        return sha256(canonical_bytes(self.identity_values()))

    @cached_property
    def submitted_digest(self) -> str:
        """Digest of the recipe's bytes."""
        return sha256(self.submitted)

    def with_seed(self, seed: int, where: str = "drawn from the operating system") -> "Config":
        """Return the config with the seed that was drawn, or taken from the run being continued."""
        values = self.values.model_copy(update={"seed": seed})
        origins = {**self.origins, "seed": Origin("code", where)}
        return replace(self, values=values, plain={**self.plain, "seed": seed}, origins=origins)


def finish(values: RunTable, merged: Merged, stored_origins: Mapping[str, Mapping[str, str]] | None) -> Config:
    """Fill what depends on other values, and put origins and standings to every leaf."""
    filled = values.horizon_steps is None and reads_horizon(values)
    if filled:
        values = values.model_copy(update={"horizon_steps": max(1, values.steps)})
    leaves = leaves_of(values)
    origins = {format_path(leaf.path): _origin(leaf, merged, stored_origins) for leaf in leaves}
    if filled:
        origins["horizon_steps"] = Origin("default", "steps at the first start")
    return Config(
        values=values,
        plain=values.model_dump(mode="json", by_alias=True),
        origins=origins,
        standings={format_path(leaf.path): leaf.standing for leaf in leaves},
        submitted=merged.document.raw,
        submitted_name=merged.document.file_name,
        notes=tuple(merged.notes),
        leaves=leaves,
    )


def _origin(leaf: Leaf, merged: Merged, stored: Mapping[str, Mapping[str, str]] | None) -> Origin:
    path = leaf.path
    if not has(value_at(merged.data, path[:-1]), path[-1]):
        return Origin("default", leaf.table)
    origin = merged.origin(path)
    if stored is None or origin.layer == "set":
        return origin
    found = stored.get(format_path(path))
    return Origin(found["layer"], found["where"]) if found else Origin("restored", "config.json")  # type: ignore[arg-type]
