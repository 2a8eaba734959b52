"""Which files an audit reads: Python sources and notebooks below a path, sorted; folders that hold other people's or
made code are left out and named. Links to folders are not followed, so a circle of them ends nothing."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from samerun.audit.finding import Skipped
from samerun.errors import NoMatchError

ENDINGS: Final = (".py", ".ipynb")
INSTALLED: Final = frozenset({"site-packages", "dist-packages", "node_modules"})
BUILT: Final = frozenset({"build", "dist", "__pypackages__", ".eggs"})
SILENT: Final = frozenset({"__pycache__"})
"""Never holds sources: not worth a word."""


@dataclass
class Listing:
    """Files to read, each once, in order, and what was left out."""

    files: list[Path] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def add(self, path: Path) -> None:
        """Add a file unless the same one was reached by another way."""
        real = os.path.realpath(path)
        if real not in self.seen:
            self.seen.add(real)
            self.files.append(path)

    def skip(self, path: Path, reason: str) -> None:
        """Say that something was not read."""
        self.skipped.append(Skipped(path.as_posix(), reason))


def find_files(paths: Sequence[Path]) -> Listing:
    """List what to read at and below `paths`. A file that is named is read whatever it is called.

    Raises NoMatchError for a path that does not exist (SR-AUDIT-001), and where nothing is left to read (SR-AUDIT-002).
    """
    listing = Listing()
    for path in paths:
        if path.is_dir():
            before = len(listing.files)
            _walk(path, listing)
            if len(listing.files) == before:
                listing.skip(path, "it holds no Python file that is not read already")
        elif path.is_file():
            listing.add(path)
        elif path.exists():
            listing.skip(path, "it is no plain file")
        else:
            raise NoMatchError(
                "SR-AUDIT-001", f"there is no file or folder {path.as_posix()}", do="name a Python file or its folder"
            )
    if not listing.files:
        raise NoMatchError(
            "SR-AUDIT-002",
            "there is no Python file to read",
            evidence=[f"{one.path}: {one.reason}" for one in listing.skipped],
            do="name the folder that holds the sources",
        )
    listing.files.sort(key=lambda path: path.as_posix())
    listing.skipped.sort(key=lambda one: one.path)
    return listing


def _walk(top: Path, listing: Listing) -> None:
    def refused(error: OSError) -> None:
        listing.skip(Path(error.filename), f"it cannot be read: {error.strerror}")

    for folder, folders, names in os.walk(top, onerror=refused):
        here = Path(folder)
        for name in sorted(folders):
            reason = _left_out(here / name)
            if reason is not None:
                folders.remove(name)
                if name not in SILENT:
                    listing.skip(here / name, reason)
        folders.sort()
        for name in sorted(names):
            if name.endswith(ENDINGS):
                _add_file(here / name, listing)


def _left_out(folder: Path) -> str | None:
    """Why a folder is not read, None where it is."""
    name = folder.name
    if folder.is_symlink():
        return "a link to a folder"
    if name in SILENT:
        return "compiled"
    if (folder / "pyvenv.cfg").exists() or (folder / "conda-meta").is_dir():
        return "a virtual environment"
    if name in INSTALLED:
        return "installed packages"
    if name in BUILT and not (folder / "__init__.py").exists():
        return "made by a build"
    return "hidden" if name.startswith(".") else None


def _add_file(path: Path, listing: Listing) -> None:
    try:
        mode = path.stat().st_mode
    except OSError as error:
        listing.skip(path, f"a link that leads nowhere: {error.strerror}" if path.is_symlink() else str(error.strerror))
        return
    if not stat.S_ISREG(mode):
        listing.skip(path, "no regular file")
    elif path.name.startswith("."):
        listing.skip(path, "hidden")
    else:
        listing.add(path)
