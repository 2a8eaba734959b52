"""Make the config of a recorded run again from its config.json: for a resume, where only asides move, or a fork.

The file itself is read and written in record/; resolving is in layers.py.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path as FolderPath
from typing import Any, Final

from pydantic import ValidationError

from samerun.config.changes import changed
from samerun.config.document import Document
from samerun.config.layers import resolve_document
from samerun.config.merge import plain_copy
from samerun.config.parts import find_part
from samerun.config.problems import value_at
from samerun.config.resolved import Config
from samerun.config.setting import Setting
from samerun.config.validate import path_of
from samerun.errors import RefusedError, SamerunError

LARGE_INTEGER: Final = 2**53
"""Canonical JSON writes integers from this on as decimal text."""


def restore(
    stored: Mapping[str, Any],
    sets: Sequence[str | Setting] = (),
    *,
    project: FolderPath | None = None,
    submitted: bytes = b"",
    only_aside: bool = True,
) -> Config:
    """Make the config again from what config.json holds, with `-s` values over it.

    `stored` has "values" (`Config.plain`), "origins" (path -> `Origin.as_json()`) and "submitted" with its "name".

    With `only_aside` (a resume) a value that counts in the identity must stay: RefusedError SR-CONFIG-012 names each
    with both values. Without (a fork) any may change. Raises ConfigError as `resolve` does.
    """
    values = _integers_back(stored["values"], project)
    document = Document(values, {}, "config.json", str(stored["submitted"]["name"]), submitted)
    before = resolve_document(document, (), project, stored["origins"])
    if not sets:
        return before
    after = resolve_document(document, sets, project, stored["origins"])
    if only_aside:
        _refuse_moved(before, after)
    return after


def _refuse_moved(before: Config, after: Config) -> None:
    moved = changed(before.identity_values(), after.identity_values())
    moved += changed(before.platform_values(), after.platform_values())
    if not moved:
        return
    evidence = [f"{path}: {old!r} in the run, {new!r} by {_by(after, path)}" for path, old, new in moved]
    settings = dict.fromkeys(by for path, _, _ in moved if (by := _by(after, path)).startswith("-s"))
    raise RefusedError(
        "SR-CONFIG-012",
        f"a run that goes on keeps its identity; this would move {', '.join(path for path, _, _ in moved)}",
        evidence=evidence,
        do=" ".join(["a new run: samerun train RECIPE", *settings]),
    )


def _by(config: Config, path: str) -> str:
    origin = config.origins.get(path)
    return origin.where if origin else "a changed kind"


def _integers_back(values: Mapping[str, Any], project: FolderPath | None) -> dict[str, Any]:
    """Undo what canonical JSON does to large integers, but only where the schema refuses their text."""
    data: dict[str, Any] = plain_copy(values)
    try:
        find_part("trainers", str(data.get("trainer")), project).config.model_validate_json(
            json.dumps(data), context={"project": project}
        )
    except ValidationError as error:
        for fault in error.errors(include_url=False):
            path = path_of(fault["loc"], data, is_missing=False)
            number = _large_integer(value_at(data, path))
            if path and number is not None:
                value_at(data, path[:-1])[path[-1]] = number
    except SamerunError:
        pass  # the trainer cannot be found: resolving says so, with the place
    return data


def _large_integer(value: Any) -> int | None:
    if not isinstance(value, str) or len(value) > 400 or not value.isascii() or not value.lstrip("-").isdecimal():
        return None
    number = int(value)
    return number if abs(number) >= LARGE_INTEGER and str(number) == value else None
