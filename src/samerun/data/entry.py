"""What a manifest of data consists of: one entry a file or item, and what was left out of it, by name.

The digest of a data set is over ids, sizes and contents; label, group, time and split only say what belongs together.
"""

from __future__ import annotations

from collections.abc import Iterable
from json.encoder import encode_basestring
from typing import Any, Final, NamedTuple

from samerun.base.digest import sha256


class Entry(NamedTuple):
    """One file or item of a data set."""

    id: str
    """Its path within the folder (NFC, forward slashes), or the id of an item."""
    size: int
    """Bytes."""
    sha256: str
    """`sha256:` and 64 hex digits of its content."""
    label: str | None = None
    """Its class."""
    group: str | None = None
    """What it must not be parted from by a split."""
    time: str | None = None
    """What a chronological split goes by."""
    split: str | None = None
    """The split that it was put into."""

    def as_json(self) -> dict[str, Any]:
        """Return the entry as plain values; what it has none of is left out."""
        return {name: value for name, value in self._asdict().items() if value is not None}


class LeftOut(NamedTuple):
    """Something in the folder that has no entry."""

    id: str
    """Its path within the folder; bytes that are not UTF-8 are written out."""
    reason: str

    def as_json(self) -> dict[str, str]:
        """Return it as plain values."""
        return self._asdict()


NOT_UTF8: Final = "its name is not UTF-8"
CHANGED: Final = "it changed while it was read"
UNFIXED: Final = frozenset({NOT_UTF8, CHANGED})
"""Reasons of files that a program can read although no manifest can pin them."""

spelled = encode_basestring
"""Text as canonical JSON has it; the whole of canon.py is eight times slower, and there may be millions of entries."""


def manifest_digest(entries: Iterable[Entry]) -> str:
    """Return `sha256:...` over ids, sizes and contents of entries, in whatever order they are given."""
    rows = [f'{{"id":{spelled(one.id)},"sha256":"{one.sha256}","size":{one.size}}}' for one in sorted(entries, key=_id)]
    return sha256(f"[{','.join(rows)}]".encode())


def _id(entry: Entry) -> str:
    return entry.id
