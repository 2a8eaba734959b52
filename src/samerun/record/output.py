"""Where an answer may be written that a verb gives as a file: never over the record of a run.

A run is only written to by what makes it. Which file that is, `-o FILE` says.
"""

from __future__ import annotations

from pathlib import Path

from samerun.errors import UsageError
from samerun.record.reader import is_run_folder

__all__ = ["check_output"]


def check_output(path: Path) -> None:
    """Say before the work whether its answer can go to `path`; a plain file that stands there may be replaced.

    Raises UsageError SR-RECORD-033 for a file inside of a run, SR-RECORD-034 where no folder or no plain file is.
    """
    folder = path.parent.resolve()
    if not folder.is_dir():
        raise _no_place(path, f"{path.parent} is no folder")
    run = next((place for place in (folder, *folder.parents) if is_run_folder(place)), None)
    if run is not None:
        raise UsageError(
            "SR-RECORD-033",
            f"{path} lies in a run, and nothing may write there but the run",
            evidence=[f"run folder: {run}"],
            do="name a file outside of it",
        )
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise _no_place(path, f"{path} is no plain file: it would be gone")


def _no_place(path: Path, reason: str) -> UsageError:
    return UsageError(
        "SR-RECORD-034", f"nothing can be written to {path}", evidence=[reason], do="name a plain file in a folder"
    )
