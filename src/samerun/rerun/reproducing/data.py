"""Where the data of a run lies on this machine: where the run found it, unless another folder is named.

Data is never copied. What a recipe names and is nowhere is said before anything is trained; what a script reads by
itself only the script knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from samerun.base import files
from samerun.base.places import LOCAL_PATH
from samerun.errors import UsageError
from samerun.record import layout
from samerun.record.bundle.marker import brought, data_of
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
    """Find the data of a run: in the folder `given`, else what came with its bundle, else where the run found it.

    Where it is nowhere else, the restored `project` is looked into. Raises UsageError SR-REPRODUCE-007 for a folder
    that does not exist.
    """
    if given is not None and not given.exists():
        raise UsageError(
            "SR-REPRODUCE-007", f"--data {given}: there is nothing", do="name the folder that holds the data of the run"
        )
    given = None if given is None else given.absolute()  # The training starts in another folder.
    if record.manifest.entry.kind != RECIPE and data_of(record.folder):
        # They are put into the project, where the paths of the script mean them.
        return DataPlace(_first_folder(given, project))
    if record.manifest.entry.kind != RECIPE:
        return DataPlace(_first_folder(given, recorded_folder(record, "cwd"), recorded_folder(record, "root"), project))
    roots = [root for root in (given, recorded_folder(record, "root"), project) if root is not None]
    task = placed_values(record).get("task")
    path = task.get("path") if isinstance(task, dict) else None
    if not isinstance(path, str) or path.startswith(INSIDE):
        return DataPlace(_first_folder(*roots))
    places = list(_candidates(record, path, roots, given))
    for root, found in places:
        if found.exists():
            return DataPlace(root, () if found == root / path else (f"task.path={found.resolve()}",))
    looked = dict.fromkeys(str(found) for root, found in places if root != project)
    why = f"not found ({', '.join(looked) or path}); name its folder with --data DIR"
    return DataPlace(project, missing=(Unmatched("data", path, path, None, why),))


def _candidates(record: RunRecord, path: str, roots: list[Path], given: Path | None) -> Iterator[tuple[Path, Path]]:
    if given is not None:
        # Named is the folder that relative paths start in, the one that the file lies in, or the very folder or file.
        if not Path(path).is_absolute():
            yield given, given / path
        yield given, given / Path(path).name
        if given.name == Path(path).name or path.startswith(LOCAL_PATH):
            yield given, given
    if (came := brought(record.folder, path)) is not None:
        yield record.folder.absolute() / layout.UNPACKED_DATA, came
    for root in roots:
        yield root, root / path


def put_data(record: RunRecord, project: Path) -> None:
    """Put the data that came with a script into its restored project: a script has no setting that says where it is."""
    if record.manifest.entry.kind == RECIPE:
        return
    for label, path in sorted(data_of(record.folder).items()):
        if not (project / label).exists():
            files.make_dir((project / label).parent)
            files.link(path, project / label)


def _first_folder(*folders: Path | None) -> Path:
    """Return the first of the folders that is there; the last is the new one, which will be."""
    last = folders[-1]
    assert last is not None
    return next((folder for folder in folders if folder is not None and folder.is_dir()), last)
