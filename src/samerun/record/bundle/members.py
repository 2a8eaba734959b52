"""What goes into a bundle, one value a file: its name, size, digest and sum, and where its bytes come from.

Files are read in blocks, twice: once to know them, once to write them. One that changed in between is refused, so a
bundle never holds a mixture of two instants.
"""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from samerun.base.digest import BLOCK_BYTES, Sha256, sha256
from samerun.errors import DamageError, LockedError
from samerun.record.bundle.index import MemberFacts
from samerun.record.bundle.spelling import Entry


@dataclass(frozen=True)
class Member:
    """One file of a bundle."""

    name: str
    size: int
    sha256: str
    crc: int
    path: Path | None = field(default=None, compare=False)
    """The file that its bytes come from; None where they are `data`."""
    data: bytes = field(default=b"", compare=False, repr=False)

    @property
    def facts(self) -> MemberFacts:
        """What the index says of it."""
        return MemberFacts(self.size, self.sha256)

    @property
    def entry(self) -> Entry:
        """What the archive says of it."""
        return Entry(self.name, self.size, self.crc)

    def blocks(self) -> Iterator[bytes]:
        """Yield its bytes. Raises LockedError SR-BUNDLE-006 where they are no longer those that were read first."""
        if self.path is None:
            yield self.data
            return
        size, crc = 0, 0
        for block in read_blocks(self.path):
            size, crc = size + len(block), zlib.crc32(block, crc)
            if size > self.size:
                break
            yield block
        if (size, crc) != (self.size, self.crc):
            raise LockedError(
                "SR-BUNDLE-006",
                f"{self.name} changed while it was packed",
                evidence=[f"file: {self.path.name}", f"{self.size} bytes at first, {size} bytes or others now"],
                do="wait until nothing writes to the run, then pack it again",
            )


def member_of_bytes(name: str, data: bytes) -> Member:
    """Return a member that is in memory."""
    return Member(name, len(data), sha256(data), zlib.crc32(data), data=data)


def member_of_file(name: str, path: Path) -> Member:
    """Read a file through once. Raises DamageError SR-BUNDLE-004 for a link or anything that is no plain file."""
    running, size, crc = Sha256(), 0, 0
    for block in read_blocks(path):
        running.update(block)
        size, crc = size + len(block), zlib.crc32(block, crc)
    return Member(name, size, running.value, crc, path=path)


def read_blocks(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a plain file; DamageError SR-BUNDLE-004 where it is none, or cannot be read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as problem:
        raise not_whole(path.name, "it is a link" if path.is_symlink() else problem.strerror or "unknown") from problem
    with open(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise not_whole(path.name, "it is no plain file")
        while block := file.read(BLOCK_BYTES):
            yield block


def not_whole(subject: str, *evidence: str) -> DamageError:
    """Return the error for a run that is not whole, and so is nothing to hand to others."""
    return DamageError(
        "SR-BUNDLE-004",
        f"{subject} is not packed: its record is damaged",
        evidence=evidence,
        do="samerun verify RUN --files",
    )
