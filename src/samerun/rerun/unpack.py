"""The verb `unpack`: a bundle becomes a run folder, all of it verified before it appears.

What a bundle may hold and how it is read is record/bundle/'s. Code that came so is run with `--trust` only: origin.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samerun.base.text import human_bytes, plural
from samerun.judge.integrity import check_files
from samerun.record import layout
from samerun.record.bundle.opened import Opened, open_bundle
from samerun.record.bundle.standing import is_there, place_in, publish, taken
from samerun.record.bundle.unpacking import check_members, read_through, written
from samerun.record.project import runs_folder
from samerun.record.reader import RunRecord, is_run_folder
from samerun.rerun.origin import named_code

Say = Callable[[str], None]


@dataclass(frozen=True)
class Unpacked:
    """What was unpacked, or would be."""

    file: Path
    run: Path
    """The run folder."""
    is_new: bool
    """False where a folder with this content was there already: nothing was written."""
    size_bytes: int
    """Of the files that the bundle brings."""
    num_members: int
    checkpoints: tuple[int, ...]
    without: tuple[int, ...]
    """Steps of checkpoints that the run had and the bundle has not."""
    data: tuple[str, ...]
    """Inputs of the run whose files came along."""
    code: tuple[str, ...]
    """Code that the run names beside what is installed, which runs with trust only; not looked for in a dry run."""

    def as_json(self) -> dict[str, Any]:
        """Give the fields that scripts may rely on."""
        return dict(vars(self))


def unpack(
    file: str | Path,
    out: Path | None = None,
    *,
    runs: Path | None = None,
    dry_run: bool = False,
    say: Say = lambda text: None,
) -> Unpacked:
    """Verify a bundle and make a run folder of it: `out`, else a folder of the run's own name among the runs.

    A folder of that name is never touched: with the same content it is the answer, with other content the new one gets
    the next free number (`out`: RefusedError SR-BUNDLE-016). A dry run verifies every byte and writes nothing. Nothing
    inside is run; what the run names as its code asks for trust later on.

    Raises NoMatchError (exit 5) where there is no such file, DamageError (6) for one that is not what was packed, or
    that holds a name, a link, an encryption or a compression that no bundle has.
    """
    place = runs_folder(runs)
    with open_bundle(Path(file)) as bundle:
        check_members(bundle)
        say(f"checking {plural(len(bundle.places), 'file')}, {human_bytes(_size(bundle))}")
        there = _standing(bundle, place, out)
        if there is not None or dry_run:
            read_through(bundle)
            return _unpacked(bundle, there or out or place / bundle.index.folder, is_new=there is None)
        with written(bundle, out or place / bundle.index.folder, _problems) as folder:
            if out is None:
                return _unpacked(bundle, place_in(place, bundle, folder), is_new=True)
            if not publish(folder, out):
                raise taken(out)
            return _unpacked(bundle, out, is_new=True)


def _problems(folder: Path) -> list[str]:
    return [str(problem) for problem in check_files(RunRecord.open(folder))]


def _standing(bundle: Opened, runs: Path, out: Path | None) -> Path | None:
    """Return the folder that has this content already. Raises RefusedError for an `out` that has another."""
    if out is None:
        folders = layout.run_folders_of(runs, bundle.index.name, bundle.index.id8)
        return next((folder for folder in folders if is_there(bundle, folder)), None)
    if not out.exists() and not out.is_symlink():
        return None
    if not is_there(bundle, out):
        raise taken(out)
    return out


def _size(bundle: Opened) -> int:
    return sum(place.entry.size for place in bundle.places)


def _unpacked(bundle: Opened, folder: Path, *, is_new: bool) -> Unpacked:
    return Unpacked(
        file=bundle.path,
        run=folder,
        is_new=is_new,
        size_bytes=_size(bundle),
        num_members=len(bundle.places),
        checkpoints=bundle.index.checkpoints,
        without=bundle.index.without,
        data=tuple(sorted(bundle.index.data)),
        code=tuple(named_code(RunRecord.open(folder))) if is_run_folder(folder) else (),
    )
