"""The rows of files that stand in `source.patch` alone, changed and not imported: by path, digest and mode."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from samerun.base.digest import sha256
from samerun.record.git.names import spelled
from samerun.record.git.tree import Change
from samerun.record.reading import Mark, mark_of, mode_of
from samerun.record.source_names import CHANGED, name_of

DELETED: Final = "deleted"
_LINK: Final = "120000"


@dataclass(frozen=True)
class Patched:
    """Rows by the name of a file, and the marks of those files."""

    rows: Mapping[str, Mapping[str, Any]]
    marks: Mapping[Path, Mark | None]

    def moved(self) -> list[str]:
        """List the files that were written since."""
        return [str(path.name) for path, mark in self.marks.items() if mark_of(path) != mark]


def patched_files(
    top: Path | None,
    changes: Collection[Change],
    known: Collection[Path],
    marks: Mapping[Path, Mark | None],
) -> Patched:
    """Describe the files of `changes`, other than the `known` modules, which have rows of their own.

    `marks` are from before the patch was made, so that a write between patch and digest is one that `moved` tells.
    """
    if top is None:
        return Patched({}, {})
    places = {change: top / os.fsdecode(change.path) for change in changes}
    others = {change: place for change, place in places.items() if place not in known}
    return Patched(
        {name_of(CHANGED, spelled(change.path)): _row(change, place) for change, place in others.items()},
        {place: marks[place] for place in others.values()},
    )


def _row(change: Change, place: Path) -> dict[str, Any]:
    content, size, mode = _content(place)
    return {
        "kind": "bytes",
        "meaning": content,
        "content": content,
        "size_bytes": size,
        "mode": mode,
        "link": None,
        "why": CHANGED,
        "status": change.status,
        "is_late": False,
        "is_stored": False,
        "num_redacted": 0,
    }


def _content(place: Path) -> tuple[str, int, str]:
    """Give digest, size and mode as git would have them; the content of a link is where it leads."""
    try:
        facts = os.lstat(place)
        if stat.S_ISLNK(facts.st_mode):
            target = os.fsencode(os.readlink(place))
            return sha256(target), len(target), _LINK
        data = place.read_bytes()
        return sha256(data), len(data), mode_of(facts)
    except OSError:
        return DELETED, 0, "000000"
