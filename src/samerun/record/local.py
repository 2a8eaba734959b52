"""`local.json`: what only this machine knows of a run. Its folders, and the paths that stand as marks in its record.

The file is never packed and no part of the identity. What is taken out of a record is decided in base/places.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from samerun.base.places import LOCAL_PATH, Place
from samerun.base.redact import redact
from samerun.base.sealed import write_sealed
from samerun.config.merge import plain_copy
from samerun.config.problems import format_path, has, printable, value_at
from samerun.errors import MissingError
from samerun.record import layout
from samerun.record.bundle.marker import brought
from samerun.record.reader import RunRecord

PLACES: Final = "values"
ARGUMENTS: Final = "argv"


def recorded_places(places: Mapping[Place, str]) -> dict[str, Any]:
    """Return the paths that were taken out of the settings, as they stand in the file."""
    if not places:
        return {}
    return {PLACES: [[list(path), printable(place)] for path, place in places.items()]}


def recorded_arguments(argv: Sequence[str]) -> dict[str, Any]:
    """Return the arguments of a script with their paths, without their secrets, as they stand in the file."""
    kept, _ = redact(list(argv))
    return {ARGUMENTS: kept} if kept else {}


def local_facts(record: RunRecord) -> Mapping[str, Any]:
    """Read the file; empty where the run came from elsewhere."""
    return record.document(layout.LOCAL) if record.has(layout.LOCAL) else {}


def write_local(folder: Path, facts: Mapping[str, Any]) -> None:
    """Write the file into a run folder, in the place of an older one."""
    write_sealed(folder / layout.LOCAL, {**facts, "schema": "samerun.local", "format": layout.RUN_FORMAT})


def recorded_folder(record: RunRecord, name: str) -> Path | None:
    """Return a folder that the file names (`root` of the project, `cwd` of the start), None where it names none."""
    text = str(local_facts(record).get(name) or "")
    return Path(text) if Path(text).is_absolute() else None


def arguments_of(record: RunRecord) -> tuple[str, ...]:
    """Return the arguments that a script was started with. Raises MissingError SR-RECORD-035 for a strange path."""
    argv = record.manifest.entry.argv
    if not any(LOCAL_PATH in argument for argument in argv):
        return argv
    known = local_facts(record).get(ARGUMENTS, ())
    if len(known) == len(argv) and all(isinstance(argument, str) for argument in known):
        return tuple(known)
    raise _elsewhere(record, "an argument", [" ".join(argv)], f"samerun train {record.manifest.entry.path} -- ...")


def values_of(record: RunRecord, settings: Sequence[str] = ()) -> dict[str, Any]:
    """Return the recorded settings with the paths of this machine in their places.

    Raises MissingError SR-RECORD-035 for a path of another machine that none of the `-s` values gives.
    """
    values = placed_values(record)
    given = {text.partition("=")[0].strip() for text in settings}
    left = [path for path in _marked(values, ()) if format_path(path) not in given]
    if left:
        names = [format_path(path) for path in left]
        raise _elsewhere(
            record,
            ", ".join(names),
            [f"{format_path(path)}: {value_at(values, path)}" for path in left],
            f"samerun resume {record.name} " + " ".join(f"-s {name}=PATH" for name in names),
        )
    return values


def placed_values(record: RunRecord) -> dict[str, Any]:
    """Return the recorded settings with the paths that are known here, those of data that came along among them.

    A path of another machine keeps its mark.
    """
    values: dict[str, Any] = plain_copy(record.config.values)
    for entry in local_facts(record).get(PLACES, ()):
        path, place = tuple(entry[0]), entry[1]
        if path and has(value_at(values, path[:-1]), path[-1]) and LOCAL_PATH in str(value_at(values, path)):
            value_at(values, path[:-1])[path[-1]] = place
    for path in _marked(values, ()):
        if (came := brought(record.folder, str(value_at(values, path)))) is not None:
            value_at(values, path[:-1])[path[-1]] = str(came)
    return values


def _marked(node: Any, path: Place) -> list[Place]:
    if isinstance(node, dict):
        return [found for key, item in node.items() for found in _marked(item, (*path, key))]
    if isinstance(node, list):
        return [found for at, item in enumerate(node) for found in _marked(item, (*path, at))]
    return [path] if isinstance(node, str) and LOCAL_PATH in node else []


def _elsewhere(record: RunRecord, what: str, evidence: Sequence[str], do: str) -> MissingError:
    return MissingError(
        "SR-RECORD-035", f"{record.name}: {what} names a place of the machine that made it", evidence=evidence, do=do
    )
