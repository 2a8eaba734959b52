"""Resolve a recipe: defaults < recipe < `-s`, into frozen values of which each knows the layer that set it.

All problems are reported at once. Reading is in load.py, merging in merge.py, what comes out is in resolved.py.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path as FolderPath
from typing import Any

from samerun.config.checks import check_secrets, check_values
from samerun.config.document import Document
from samerun.config.load import read_recipe
from samerun.config.merge import merge
from samerun.config.parts import find_part
from samerun.config.problems import MISSING_KEY, WRONG_VALUE, Problem, raise_problems, without_value
from samerun.config.resolved import Config as Config
from samerun.config.resolved import finish
from samerun.config.schema import RunTable
from samerun.config.setting import Setting, parse_setting
from samerun.config.shape import default_kind_at
from samerun.config.validate import validate
from samerun.errors import ConfigError


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
        raise_problems((without_value(problem, merged.hidden) for problem in problems), document.name)
    return finish(values, merged, stored_origins)


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
