"""Where the data of a run lies on this machine: where the run found it, unless another folder is named.

Data is never copied. What a recipe names and is nowhere is said before anything is trained; what a script reads by
itself only the script knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from samerun.base.places import LOCAL_PATH
from samerun.errors import UsageError
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
    """Find the data of a run: in the folder `given`, else where the run found it, else in the restored `project`.

    Raises UsageError SR-REPRODUCE-007 for a folder that does not exist.
    """
    if given is not None and not given.exists():
        raise UsageError(
            "SR-REPRODUCE-007", f"--data {given}: there is nothing", do="name the folder that holds the data of the run"
        )
    given = None if given is None else given.absolute()  # The training starts in another folder.
    if record.manifest.entry.kind != RECIPE:
        return DataPlace(_first_folder(given, recorded_folder(record, "cwd"), recorded_folder(record, "root"), project))
    roots = [root for root in (given, recorded_folder(record, "root"), project) if root is not None]
    task = placed_values(record).get("task")
    path = task.get("path") if isinstance(task, dict) else None
    if not isinstance(path, str) or path.startswith(INSIDE):
        return DataPlace(_first_folder(*roots))
    for root, found in _candidates(path, roots, given):
        if found.exists():
            return DataPlace(root, () if found == root / path else (f"task.path={found.resolve()}",))
    why = (
        f"not found; looked for: {', '.join(dict.fromkeys(str(found) for _, found in _candidates(path, roots, given)))}"
    )
    return DataPlace(project, missing=(Unmatched("data", path, path, None, why),))


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
