"""The content manifest of a data set on disk: one entry a file, and one digest over all of them.

The digest follows what files hold and how they are named within the data set, never where the data set lies.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from samerun.base.canon import canonical_bytes
from samerun.base.digest import sha256, sha256_file
from samerun.data.scan import scan


@dataclass(frozen=True, order=True)
class Entry:
    """One file of a data set."""

    id: str
    """Its path within the data set, with forward slashes."""
    size: int
    """Bytes."""
    sha256: str
    """`sha256:` and 64 hex digits of its content."""

    def as_json(self) -> dict[str, Any]:
        """Return the entry as plain values."""
        return asdict(self)


def manifest_of(path: Path) -> list[Entry]:
    """List every file of a folder (or the one file) with size and digest, sorted by id.

    Raises MissingError SR-DATA-015 when nothing is there.
    """
    root = path if path.is_dir() else path.parent
    files = scan(path)
    return sorted(Entry(file.relative_to(root).as_posix(), file.stat().st_size, sha256_file(file)) for file in files)


def manifest_digest(entries: Iterable[Entry]) -> str:
    """Return `sha256:...` over the entries, in whatever order they are given."""
    return sha256(canonical_bytes([entry.as_json() for entry in sorted(entries)]))


@dataclass(frozen=True)
class Change:
    """One file that differs between two manifests; None where it is not there."""

    id: str
    before: str | None
    after: str | None


def changes(old: Iterable[Entry], new: Iterable[Entry]) -> list[Change]:
    """Name the files that were added, removed or changed, sorted by id."""
    before = {entry.id: entry.sha256 for entry in old}
    after = {entry.id: entry.sha256 for entry in new}
    names = sorted(before.keys() | after.keys())
    return [Change(name, before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)]
