"""Digests of files kept between processes, in two files of the user's cache folder for each data set.

A digest counts for as long as path, size, both time stamps and inode are what they were. Each batch is a sealed line
that is with the system before the next one is begun, so a kill loses one batch; one byte changed drops the lot. The
second file holds the last whole listing: where nothing moved, one comparison stands for all.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Final

from samerun.base import files
from samerun.base.sealed import read_sealed, seal, unseal, write_sealed
from samerun.data.scan import Found
from samerun.errors import DamageError, SamerunError

FORMAT: Final = 1
_HEX: Final = 64
_DAMAGED: Final = "the cache of file digests was damaged: it is dropped, and every file is read again"
_SPARE: Final = 1000
"""Outdated digests that a file may hold before it is written anew."""


@dataclass
class HashCache:
    """The digests known of the files below one folder; `path` None keeps nothing between processes."""

    path: Path | None = None
    known: dict[str, str] = field(default_factory=dict, repr=False)
    """Key of a file -> the 64 hex digits of its digest."""
    notes: list[str] = field(default_factory=list)
    """What happened to the cache that is worth a line."""
    _new: list[str] = field(default_factory=list, repr=False)
    _lines: int = 0
    _is_whole: bool = False
    """Whether all that was asked for stands in the file of the last whole listing."""

    @classmethod
    def open(cls, folder: Path | None, root: str) -> HashCache:
        """Return the cache of the files below `root`; nothing is read yet."""
        name = blake2b(os.fsencode(root), digest_size=8).hexdigest()
        return cls(None if folder is None else folder / f"data-{FORMAT}-{name}.jsonl")

    def digests_of(self, listed: Sequence[Found]) -> list[str | None]:
        """Return the hex digest of each file that is as it was, None for those that have to be read.

        A damaged cache is dropped, and `notes` says so.
        """
        return self._whole(listed) or list(map(self._digest_of, self._read(listed)))

    def _whole(self, listed: Sequence[Found]) -> list[str | None] | None:
        """Return all digests where nothing moved since the last whole listing."""
        if self.path is None or not listed:
            return None
        try:
            found = read_sealed(self._whole_path)
            digests = found["digests"]
            if found["listing"] != _fingerprint(listed) or len(digests) != _HEX * len(listed):
                return None
        except FileNotFoundError:
            return None
        except (OSError, DamageError, KeyError, TypeError):
            self.drop(_DAMAGED)
            return None
        self._is_whole = True
        return [digests[place : place + _HEX] for place in range(0, len(digests), _HEX)]

    @property
    def _whole_path(self) -> Path:
        assert self.path is not None
        return self.path.with_suffix(".json")

    def _read(self, listed: Sequence[Found]) -> Sequence[Found]:
        """Read the batches; give `listed` back."""
        try:
            data = b"" if self.path is None else self.path.read_bytes()
        except OSError:
            data = b""
        # A kill in the middle of a line leaves its beginning at the end of the file.
        whole, newline, torn = data.rpartition(b"\n")
        try:
            for line in whole.split(b"\n") if newline else ():
                self._take(unseal(line + b"\n", "the cache")["files"])
        except (DamageError, KeyError, AttributeError, ValueError):
            self.drop(_DAMAGED)
        else:
            if torn:
                self._rewrite()
        return listed

    def _take(self, batch: str) -> None:
        lines = batch.split("\n")
        self._lines += len(lines)
        self.known.update([(line[: -_HEX - 1], line[-_HEX:]) for line in lines])

    def _digest_of(self, file: Found) -> str | None:
        return self.known.get(key_of(file))

    def add(self, file: Found, digest: str) -> None:
        """Keep the hex digest of a file; `flush` writes it down."""
        key = key_of(file)
        self.known[key] = digest
        self._new.append(f"{key} {digest}")

    def flush(self) -> None:
        """Write down what was added, as one batch. A cache that cannot be written is no error."""
        if self.path is None or not self._new:
            return
        batch, self._new = self._new, []
        self._lines += len(batch)
        try:
            files.make_dir(self.path.parent)
            appender = files.Appender(self.path)
            appender.append(seal({"files": "\n".join(batch)}))
            appender.close()
        except (OSError, SamerunError):
            self.path = None

    def settle(self, listed: Sequence[Found], digests: Sequence[str | None] = ()) -> None:
        """Write down what was added; with the digests of a whole listing, that too.

        The file of batches is written anew where most of it is about files that are gone.
        """
        self.flush()
        if self.path is None or self._is_whole:
            return
        if self._lines > 2 * len(listed) + _SPARE:
            now = set(map(key_of, listed))
            self.known = {key: digest for key, digest in self.known.items() if key in now}
            self._rewrite()
        if digests and None not in digests:
            self._write_whole({"listing": _fingerprint(listed), "digests": "".join(map(str, digests))})

    def _write_whole(self, document: dict[str, str]) -> None:
        try:
            files.make_dir(self._whole_path.parent)
            write_sealed(self._whole_path, document)
        except (OSError, SamerunError):
            self.path = None

    def drop(self, why: str) -> None:
        """Forget everything, on disk too."""
        self.notes.append(why)
        self.known.clear()
        self._new.clear()
        self._lines, self._is_whole = 0, False
        try:
            if self.path is not None:
                files.remove(self.path)
                files.remove(self._whole_path)
        except (OSError, SamerunError):
            self.path = None

    def _rewrite(self) -> None:
        if self.path is None:
            return
        self._lines = len(self.known)
        try:
            if self.known:
                files.replace(self.path, seal({"files": "\n".join(map(" ".join, self.known.items()))}))
            else:
                files.remove(self.path)
        except (OSError, SamerunError):
            self.path = None


def key_of(file: Found) -> str:
    """Return what a digest is kept under: the file's path as a hash, its size, time stamps and inode."""
    path = blake2b(os.fsencode(file.path), digest_size=16).hexdigest()
    return f"{path} {file.size} {file.mtime_ns} {file.ctime_ns} {file.inode}"


def _fingerprint(listed: Sequence[Found]) -> str:
    rows = [f"{path} {size} {mtime} {ctime} {inode}" for _, path, size, mtime, ctime, inode in listed]
    return sha256(os.fsencode("\0".join(rows))).hexdigest()
