"""The import path without the original project: what a restored run imports comes from where it was restored.

An editable install puts the original folder on the path of every process; without this, a module that the snapshot
does not hold would be taken from there, unseen.
"""

from __future__ import annotations

import sys
from pathlib import Path

from samerun.record.closure import is_local, own_folder


def import_nothing_from(folder: Path, path: list[str] | None = None) -> None:
    """Take the source folders in `folder` off an import path (default: that of this process), in place.

    Installed packages stay, also those of a virtual environment inside it; so does the folder that holds samerun.
    """
    entries = sys.path if path is None else path
    entries[:] = [entry for entry in entries if not entry or not _is_source_in(Path(entry).resolve(), folder.resolve())]


def _is_source_in(entry: Path, folder: Path) -> bool:
    return entry.is_relative_to(folder) and is_local(entry) and entry != own_folder().parent
