"""The files of a source as they are kept: the row of each in `source.json`, and its bytes in the snapshot.

A secret that was written into a file is left out of what is kept, and the row says so; the digests are those of the
file as it ran.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from samerun.base.digest import sha256
from samerun.record import source_names as names
from samerun.record.left_out import MODULE_LIMIT
from samerun.record.reading import read_file
from samerun.record.scrub import clean_source
from samerun.record.source import OWN, RULE, USER, SourceFile

_GROUPS: Final = {USER: names.USER, RULE: names.RULE, OWN: names.OWN}


@dataclass(frozen=True)
class Stored:
    """Rows by the name of a file, and what is kept of them."""

    rows: dict[str, dict[str, Any]]
    contents: dict[str, bytes]

    def is_whole(self, name: str) -> bool:
        """Whether a file can be had again with the very bytes that it had."""
        row = self.rows[name]
        return bool(row["is_stored"]) and not row["num_redacted"]


def stored_name(file: SourceFile) -> str:
    """Name of a file in source.json and in the snapshot: `user/train.py`, `own/samerun/errors.py`, `packages/...`."""
    return names.name_of(_GROUPS.get(file.group, names.PACKAGES), file.label)


def why_not_whole(row: Mapping[str, Any]) -> str:
    """Say why the file of a row cannot be had again with the very bytes that it had."""
    if row["num_redacted"]:
        return "a secret that stood in it was not stored"
    if row["is_stored"]:
        return "stored with other bytes"
    return "too large to be stored" if row["size_bytes"] > MODULE_LIMIT else "not stored"


def stored_files(files: Iterable[SourceFile]) -> Stored:
    """Give the row of each file, and the bytes of those that are kept."""
    stored = Stored({}, {})
    for file in files:
        name = stored_name(file)
        data = _kept(file)
        stored.rows[name] = _row(file)
        if data is None:
            continue
        # Our own source is public, and its patterns for secrets look like secrets.
        clean, num_redacted = (data, 0) if file.group == OWN else clean_source(file.label, data)
        stored.contents[name] = clean
        stored.rows[name].update(is_stored=True, num_redacted=num_redacted)
    return stored


def _row(file: SourceFile) -> dict[str, Any]:
    return {
        "kind": file.kind,
        "meaning": file.meaning,
        "content": file.content,
        "size_bytes": file.size_bytes,
        "mode": file.mode,
        "link": _link(file.link),
        "why": file.why,
        "is_late": file.is_late,
        "is_stored": False,
        "num_redacted": 0,
    }


def _link(target: str | None) -> str | None:
    """Keep a link that stays in its project; one that leads to a place of this machine is told by its content alone."""
    if target is None or PurePosixPath(target).is_absolute() or not target.isprintable():
        return None
    return target


def _kept(file: SourceFile) -> bytes | None:
    """Return the bytes to keep: all of the project, of packages the Python files; None for what is too large."""
    if file.size_bytes > MODULE_LIMIT or (file.group not in _GROUPS and not file.label.endswith(".py")):
        return None
    if file.text is not None or file.path is None:
        return file.text
    data = read_file(file.path).data
    return data if sha256(data) == file.content else None
