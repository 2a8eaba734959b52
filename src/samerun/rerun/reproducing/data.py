"""Where the data of a run lies on this machine: where it came along in a bundle, or where the run found it.

A folder that is named goes before both. Data is never copied. What a recipe names and is nowhere is said before
anything is trained; what a script reads by itself only the script knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from samerun.base.places import LOCAL_PATH
from samerun.errors import UsageError
from samerun.record import layout
from samerun.record.local import placed_values
from samerun.record.reader import RunRecord
from samerun.rerun.origin import RECIPE, recorded_folder
from samerun.rerun.reproducing.unmatched import Unmatched

INSIDE: Final = "samerun:"
"""What the name of a text inside this package begins with."""


@dataclass(frozen=True)
class DataPlace:
    """Where relative paths of data start, and settings (aside, all of them) that say where it lies otherwise."""

    root: Path
    settings: tuple[str, ...] = ()
    missing: tuple[Unmatched, ...] = ()


def data_place(record: RunRecord, project: Path, given: Path | None) -> DataPlace:
    """Find the data of a run: in the folder `given`, else what came with it, else where it found it, else in `project`.

    `project` is the restored one, and new. Raises UsageError SR-REPRODUCE-007 for a folder that does not exist.
    """
    if given is not None and not given.exists():
        raise UsageError(
            "SR-REPRODUCE-007", f"--data {given}: there is nothing", do="name the folder that holds the data of the run"
        )
    given = None if given is None else given.absolute()  # The training starts in another folder.
    brought = _brought(record)
    if record.manifest.entry.kind != RECIPE:
        return DataPlace(_first_folder(given, brought, *_recorded(record, "cwd", "root"), project))
    roots = [root for root in (given, brought, *_recorded(record, "root"), project) if root is not None]
    task = placed_values(record).get("task")
    path = task.get("path") if isinstance(task, dict) else None
    if not isinstance(path, str) or path.startswith(INSIDE):
        return DataPlace(_first_folder(*roots))
    for root, found in _candidates(path, roots, given):
        if found.exists():
            return DataPlace(root, () if found == root / path else (f"task.path={found.resolve()}",))
    places = dict.fromkeys(str(found) for root, found in _candidates(path, roots, given) if root != project)
    why = f"not found ({', '.join(places) or 'the record names no place'}); name its folder with --data DIR"
    return DataPlace(project, missing=(Unmatched("data", path, path, None, why),))


def _brought(record: RunRecord) -> Path | None:
    """Return the folder of the data that came with a run in its bundle, where some did."""
    folder = record.folder.absolute() / layout.UNPACKED_DATA
    return folder if folder.is_dir() else None


def _recorded(record: RunRecord, *names: str) -> list[Path]:
    return [folder for name in names if (folder := recorded_folder(record, name)) is not None]


def _candidates(path: str, roots: list[Path], given: Path | None) -> Iterator[tuple[Path, Path]]:
    for root in roots:
        yield root, root / path
    if given is not None:
        # Named is the folder that the file lies in, or the very folder or file.
        yield given, given / Path(path).name
        if given.name == Path(path).name or path.startswith(LOCAL_PATH):
            yield given, given


def _first_folder(*folders: Path | None) -> Path:
    """Return the first of the folders that is there; the last is the new one, which will be."""
    last = folders[-1]
    assert last is not None
    return next((folder for folder in folders if folder is not None and folder.is_dir()), last)
