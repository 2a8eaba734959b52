"""The secrets that a run needs: which settings hold them, where each is read from, and whether all of them are here.

What may stand in such a setting is values.py's; a secret is read when the part that needs it is built, and stored
nowhere. Which texts look like secrets is base/secret_text.py's.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from samerun.base.redact import remember_environment
from samerun.config.origin import flatten
from samerun.config.parts import PartChoice
from samerun.config.problems import Path, format_path
from samerun.config.schema import SECRET_REASON, Table
from samerun.config.values import Secret
from samerun.errors import MissingError


def secrets_of(table: Table) -> dict[str, Secret]:
    """Return the secrets of a table and of every table in it, by the path of their setting."""
    return {format_path(path): secret for path, secret in _walk(table, ())}


def recorded_secrets(values: Mapping[str, Any], asides: Mapping[str, str]) -> dict[str, str]:
    """Return the references to secrets in a recorded config (its values and asides), by the path of their setting."""
    found = dict(flatten(values, frozenset(asides)))
    wanted = [path for path, reason in asides.items() if reason == SECRET_REASON and found.get(path) is not None]
    return {path: found[path] if isinstance(found[path], str) else str(found[path]) for path in wanted}


def read_secrets(table: Table) -> None:
    """Read every secret of a table once, so that a run that needs one ends before it begins where one is not here.

    Secrets of the environment are remembered too: no text made from here on tells them.
    Raises MissingError SR-CONFIG-016 that names each with its setting.
    """
    remember_environment(os.environ)
    read_all(secrets_of(table))


def read_all(secrets: Mapping[str, Secret]) -> None:
    """Read secrets by the path of their setting; raises as `read_secrets` does."""
    missing: list[tuple[str, MissingError]] = []
    for path, secret in secrets.items():
        try:
            secret.reveal()
        except MissingError as error:
            missing.append((path, error))
    if missing:
        what = ", ".join(path for path, _ in missing)
        raise MissingError(
            "SR-CONFIG-016",
            f"this run needs a secret that is not here: {what}",
            evidence=[f"{path}: {error.what}" for path, error in missing],
            do="; ".join(dict.fromkeys(error.do for _, error in missing)),
        )


def _walk(value: Any, path: Path) -> Iterator[tuple[Path, Secret]]:
    if isinstance(value, Secret):
        yield path, value
    elif isinstance(value, PartChoice):
        yield from _walk(value.settings, path)
    elif isinstance(value, Table):
        for name, field in type(value).model_fields.items():
            yield from _walk(getattr(value, name), (*path, field.alias or name))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _walk(item, (*path, str(key)))
    elif isinstance(value, (tuple, list)):
        for at, item in enumerate(value):
            yield from _walk(item, (*path, at))
