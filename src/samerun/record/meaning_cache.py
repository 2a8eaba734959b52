"""Meanings of files kept between processes, by the SHA-256 of their content, in $XDG_CACHE_HOME/samerun.

Each entry is a line with a sum of its own; one that is damaged counts as absent and is computed again. A cache that
cannot be read or written is no error.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256 as hashlib_sha256
from pathlib import Path
from typing import Any, Final

from samerun.base import files
from samerun.base.canon import canonical_bytes
from samerun.errors import SamerunError
from samerun.record.meaning import FORMAT, Imported, Meaning, meaning_of
from samerun.record.rowchain import chained, start_mark

_SIZE_LIMIT: Final = 4 * 1024 * 1024
_SUM_LENGTH: Final = len(',"sum":""}\n') + 16
_START: Final = start_mark("source-cache")


@dataclass
class MeaningCache:
    """Entries of one cache file; `path` None keeps nothing."""

    path: Path | None
    known: dict[str, bytes] = field(default_factory=dict, repr=False)
    """Content digest -> line, as it lies in the file."""
    added: dict[str, bytes] = field(default_factory=dict, repr=False)
    computed: int = 0
    """Files whose meaning was not in the cache."""

    @classmethod
    def open(cls, folder: Path | None) -> "MeaningCache":
        """Read the cache file of this Python version in `folder`; an absent or unreadable one is empty."""
        if folder is None:
            return cls(None)
        version = f"{sys.version_info[0]}{sys.version_info[1]}"
        cache = cls(folder / f"meaning-{FORMAT}-py{version}.jsonl")
        try:
            lines = (folder / f"meaning-{FORMAT}-py{version}.jsonl").read_bytes().splitlines(keepends=True)
        except OSError:
            lines = []
        cache.known = {line[:64].decode("ascii", "replace"): line for line in lines}
        return cache

    def meaning(self, data: bytes) -> Meaning:
        """Give the meaning of a file's bytes, from the cache where it is there and whole."""
        key = hashlib_sha256(data).hexdigest()
        line = self.added.get(key) or self.known.get(key)
        found = None if line is None else _decode(key, line)
        if found is None:
            self.computed += 1
            found = meaning_of(data)
            self.added[key] = _encode(key, found)
        return found

    def save(self) -> None:
        """Add what was computed to the cache file; one that has grown too large begins anew."""
        if self.path is None or not self.added:
            return
        try:
            files.make_dir(self.path.parent)
            if self.path.exists() and self.path.stat().st_size > _SIZE_LIMIT:
                files.remove(self.path)
            appender = files.Appender(self.path)
            # The newline ends a line that a killed process may have left torn; empty lines are skipped.
            appender.append(b"\n" + b"".join(self.added.values()))
            appender.close()
        except (OSError, SamerunError):
            self.path = None
            return
        self.known.update(self.added)
        self.added = {}


def _encode(key: str, meaning: Meaning) -> bytes:
    row = {
        "code": meaning.code,
        "documented": meaning.documented,
        "exported": list(meaning.exported),
        "imports": [[one.level, one.module, one.name] for one in meaning.imports],
        "key": key,
        "kind": meaning.kind,
        "reads_docs": meaning.reads_docs,
    }
    try:
        line, _ = chained(_START, canonical_bytes(row))
    except TypeError:
        # A name that UTF-8 cannot hold is not worth a second spelling here.
        return b""
    return key.encode("ascii") + b" " + line


def _decode(key: str, line: bytes) -> Meaning | None:
    body = line[65:-_SUM_LENGTH] + b"}"
    if chained(_START, body)[0] != line[65:]:
        return None
    row: Mapping[str, Any] = json.loads(body)
    if row.get("key") != key:
        return None
    return Meaning(
        kind=row["kind"],
        code=row["code"],
        documented=row["documented"],
        reads_docs=row["reads_docs"],
        imports=tuple(Imported(level, module, name) for level, module, name in row["imports"]),
        exported=tuple(row["exported"]),
    )
