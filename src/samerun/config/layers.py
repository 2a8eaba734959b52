"""Resolve a recipe: defaults < recipe < `-s`, into frozen values of which each knows the layer that set it.

All problems are reported at once. Reading is in load.py, merging in merge.py, what counts as identity in standing.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path as FolderPath
from typing import Any, Final

from samerun.base.canon import canonical_bytes
from samerun.base.digest import sha256
from samerun.config.checks import check_secrets, check_values
from samerun.config.document import Document
from samerun.config.load import read_recipe
from samerun.config.merge import Merged, merge
from samerun.config.origin import Origin
from samerun.config.parts import find_part
from samerun.config.problems import (
    MISSING_KEY,
    WRONG_VALUE,
    Problem,
    format_path,
    has,
    raise_problems,
    value_at,
)
from samerun.config.schema import RunTable, Standing
from samerun.config.setting import Setting, parse_setting
from samerun.config.shape import default_kind_at
from samerun.config.standing import Leaf, counted, leaves_of, reads_horizon
from samerun.config.validate import validate
from samerun.errors import ConfigError

FORMAT_VERSION: Final = 1


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

        An unset horizon is left out: nothing reads it.
        """
        kept = counted(self.values, self.plain, self.leaves, "experiment")
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

    def as_json(self) -> dict[str, Any]:
        """Return what config.json holds; restore.py reads it back."""
        return {
            "format": FORMAT_VERSION,
            "values": dict(self.plain),
            "origins": {path: origin.as_json() for path, origin in self.origins.items()},
            "asides": self.asides,
            "digest": self.digest,
            "submitted": {"name": self.submitted_name, "digest": self.submitted_digest},
            "notes": list(self.notes),
        }


def resolve(
    recipe: str | FolderPath | bytes | Mapping[str, Any] | Document,
    sets: Sequence[str | Setting] = (),
    *,
    project: FolderPath | None = None,
) -> Config:
    """Resolve a recipe with the `-s` values over it; `project` is where its own parts are looked for.

    Raises one ConfigError with every problem, each with "recipe.yaml:12" or "-s key=value": its code is that of the
    only problem, or SR-CONFIG-001 for several.
    """
    document = recipe if isinstance(recipe, Document) else read_recipe(recipe)
    return resolve_document(document, sets, project)


def resolve_document(
    document: Document,
    sets: Sequence[str | Setting],
    project: FolderPath | None,
    stored_origins: Mapping[str, Mapping[str, str]] | None = None,
) -> Config:
    """Resolve what has been read already; `stored_origins` are those of the run that its values come from."""
    settings, problems = _settings(sets)
    table, trainer_problem = _trainer_table(document, settings, project)
    merged = merge(document, settings, lambda data, path: default_kind_at(table, data, path, project))
    known = {**check_secrets(merged), **check_values(merged)}
    problems += [*document.problems, *merged.problems, *known.values()]
    values: RunTable | list[Problem] = []
    if trainer_problem is None:
        values = validate(table, merged, project, known)
        problems += values if isinstance(values, list) else []
    else:
        problems.append(trainer_problem)
    if problems or isinstance(values, list):
        raise_problems(problems, document.name)
    return _config(values, merged, stored_origins)


def _settings(sets: Sequence[str | Setting]) -> tuple[list[Setting], list[Problem]]:
    settings: list[Setting] = []
    problems: list[Problem] = []
    for text in sets:
        try:
            settings.append(parse_setting(text) if isinstance(text, str) else text)
        except ConfigError as error:
            where = error.evidence[0] if error.evidence else "-s"
            problems.append(Problem(0, where, error.what, error.code, error.do))
    return settings, problems


def _trainer_table(
    document: Document, settings: Sequence[Setting], project: FolderPath | None
) -> tuple[type[RunTable], Problem | None]:
    """Find the table to validate against; without a trainer nothing more than the common settings is known."""
    chosen = [setting for setting in settings if setting.path == ("trainer",)]
    name = chosen[-1].value if chosen else document.data.get("trainer")
    line, where = (0, chosen[-1].where) if chosen else (document.line(("trainer",)), document.where(("trainer",)))
    if "trainer" not in document.data and not chosen:
        sentence = "'trainer' is missing: it has no default"
        return RunTable, Problem(0, document.name, sentence, MISSING_KEY, "add `trainer: supervised`; samerun parts")
    if not isinstance(name, str):
        return RunTable, Problem(line, where, "'trainer' is not text: the name of a trainer", WRONG_VALUE)
    try:
        table = find_part("trainers", name, project).config
    except ConfigError as error:
        sentence = "; ".join([error.what, *error.evidence])
        return RunTable, Problem(line, where, f"'trainer': {sentence}", error.code, error.do)
    if not issubclass(table, RunTable):
        sentence = f"'trainer': the table of {name} does not extend RunTable"
        return RunTable, Problem(line, where, sentence, "SR-PART-002")
    return table, None


def _config(values: RunTable, merged: Merged, stored_origins: Mapping[str, Mapping[str, str]] | None) -> Config:
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
