"""Reading one file of the source at one instant: its bytes, its mode, where its link leads, and a mark that it is that.

A file that changes while it is read is read again; nothing but a plain file is opened, so that nothing can hang.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from samerun.errors import UsageError

Mark = tuple[int, int, int, int]
"""Device, number, size and time of change of a file: another one means that it was written meanwhile."""

PLAIN: Final = "100644"
EXECUTABLE: Final = "100755"
_TRIES: Final = 3


@dataclass(frozen=True)
class FileRead:
    """One file as it was at one instant."""

    data: bytes
    mark: Mark
    mode: str = PLAIN
    """As git has it: `100644`, or `100755` for a file that can be executed."""
    link: str | None = None
    """Target of a symbolic link, as it is written; the rest is then of the file that it leads to."""


def read_file(path: Path) -> FileRead:
    """Read a plain file, through links. Raises UsageError SR-SOURCE-002 for anything that cannot be read as one.

    A file that is not there is a FileNotFoundError: whoever named it knows what that means.
    """
    try:
        for _ in range(_TRIES):
            facts = os.stat(path)
            if not stat.S_ISREG(facts.st_mode):
                raise _unreadable(path, "it is no plain file")
            found = FileRead(path.read_bytes(), _mark(facts), mode_of(facts), link_of(path))
            if mark_of(path) == found.mark:
                break
        return found
    except FileNotFoundError:
        raise
    except OSError as problem:
        raise _unreadable(path, problem.strerror or str(problem)) from problem


def mode_of(facts: os.stat_result) -> str:
    """Spell the mode of a file as git does."""
    return EXECUTABLE if facts.st_mode & stat.S_IXUSR else PLAIN


def link_of(path: Path) -> str | None:
    """Return the target of a symbolic link, None for what is none."""
    return os.readlink(path) if path.is_symlink() else None


def mark_of(path: Path) -> Mark | None:
    """Return the mark of a file as it is now, None where it is gone."""
    try:
        return _mark(os.stat(path))
    except OSError:
        return None


def _mark(facts: os.stat_result) -> Mark:
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns


def _unreadable(path: Path, reason: str) -> UsageError:
    return UsageError(
        "SR-SOURCE-002",
        f"{path.name!a}: this file is part of the program and cannot be read",
        evidence=[f"{path!s:.300}: {reason}".encode("utf-8", "backslashreplace").decode()],
        do="make it readable, or take it out of what the program imports",
    )
