"""What stands where a bundle would go: the same content, another, or nothing. Nothing that is there is touched."""

from __future__ import annotations

from pathlib import Path

from samerun.base import files
from samerun.base.digest import sha256, sha256_file
from samerun.base.sealed import seal
from samerun.checkpoint.format import DIGESTS
from samerun.checkpoint.index import read_index
from samerun.checkpoint.store import digests_document
from samerun.errors import RefusedError, SamerunError
from samerun.record import layout
from samerun.record.bundle.names import RUN
from samerun.record.bundle.opened import Opened
from samerun.record.bundle.unpacking import target_of


def is_there(bundle: Opened, folder: Path) -> bool:
    """Whether a folder holds everything that the bundle would bring, byte for byte; what it holds beside is its own."""
    return all(_is_same(folder, name, facts.sha256) for name, facts in bundle.index.members.items())


def _is_same(folder: Path, name: str, digest: str) -> bool:
    path = target_of(folder, name)
    if path is None:
        return True
    if path.is_file():
        return sha256_file(path) == digest
    prefix = f"{RUN}{layout.CHECKPOINTS}/{DIGESTS}/"
    if not name.startswith(prefix):
        return False
    step = name.removeprefix(prefix).removesuffix(".json")
    # The run that was packed still has the checkpoint of which the bundle holds the leaf digests alone.
    try:
        info = read_index(folder / layout.CHECKPOINTS / step)
    except SamerunError:
        return False
    return sha256(seal(digests_document(info.index))) == digest


def publish(folder: Path, target: Path) -> bool:
    """Give a finished folder its name; False where something stands there already."""
    try:
        # The name is claimed first: a rename alone would take the place of an empty folder that somebody just made. A
        # kill in between leaves an empty folder, which is no run.
        files.make_dir(target, exclusive=True)
    except FileExistsError:
        return False
    files.rename(folder, target)
    return True


def place_in(runs: Path, bundle: Opened, folder: Path) -> Path:
    """Give a finished folder the first free name of its run in `runs`, and return where it is now."""
    name, id8 = bundle.index.name, bundle.index.id8
    number = 1
    while not publish(folder, runs / layout.folder_name(name, id8, number)):
        number += 1
    return runs / layout.folder_name(name, id8, number)


def taken(target: Path) -> RefusedError:
    """Return the refusal of a folder that holds something else."""
    return RefusedError(
        "SR-BUNDLE-016",
        f"{target.as_posix()} is there already, with other content",
        evidence=["nothing was written"],
        do="samerun unpack FILE -o another folder, or --runs DIR",
    )
