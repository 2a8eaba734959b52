"""The source snapshot of a run put back into a folder, file by file, as source-files.tar holds it.

What the snapshot does not hold as it was is not made up: whoever restores compares with source.json.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from samerun.base import files
from samerun.record.source_read import read_snapshot

_USER: Final = "user/"


@dataclass(frozen=True)
class Restored:
    """What was put back: paths relative to the folder, sorted."""

    files: tuple[str, ...]


def restore_source(folder: Path, target: Path) -> Restored:
    """Write the user's files of the snapshot of the run in `folder` below `target`, which is made if need be.

    Raises DamageError for a snapshot that is not what was written, FileExistsError for a file that is there already.
    """
    stored = read_snapshot(folder)
    labels = sorted(name.removeprefix(_USER) for name in stored if name.startswith(_USER))
    files.make_dir(target)
    for label in labels:
        files.make_dir((target / label).parent)
        files.write_new(target / label, stored[_USER + label])
    return Restored(tuple(labels))
