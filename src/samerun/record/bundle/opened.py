"""Reading a bundle: its directory is compared with the one spelling that there is, so nothing can hide between members.

No name, size or place is trusted from the file alone: headers are spelt again and compared byte by byte, and what the
members hold is compared with the index. Nothing is written here, and no member but the index is held in memory.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from samerun.base.digest import BLOCK_BYTES, Sha256
from samerun.errors import DamageError, NoMatchError
from samerun.record.bundle import spelling
from samerun.record.bundle.index import BundleIndex, parse_index
from samerun.record.bundle.names import INDEX, MEMBERS, name_fault, twins
from samerun.record.bundle.spelling import Entry, Place

DIRECTORY_BYTES: Final = 256 << 20
INDEX_BYTES: Final = 128 << 20
RESTORE: Final = "get the file again from where it came from: it is not the bundle that was packed"


@dataclass(frozen=True)
class Opened:
    """A bundle whose directory and index are whole; what its members hold is compared when it is read."""

    path: Path
    file: BinaryIO
    index: BundleIndex
    places: tuple[Place, ...]

    def blocks(self, place: Place) -> Iterator[bytes]:
        """Yield the bytes of a member, and raise DamageError SR-BUNDLE-013 at their end if they are others."""
        running, crc, left = Sha256(), 0, place.entry.size
        self.file.seek(place.start)
        while left and (block := self.file.read(min(left, BLOCK_BYTES))):
            running.update(block)
            crc = zlib.crc32(block, crc)
            left -= len(block)
            yield block
        facts = self.index.members.get(place.entry.name)
        if left or crc != place.entry.crc or (facts is not None and running.value != facts.sha256):
            stored = "the index itself" if facts is None else facts.sha256
            raise other_bytes(self.path, place.entry.name, f"stored: {stored}", f"found: {running.value}")


@contextmanager
def open_bundle(path: Path) -> Iterator[Opened]:
    """Open a bundle and check its directory and index; members are checked when their `blocks` are read.

    Raises NoMatchError SR-BUNDLE-017 where there is no such file, DamageError SR-BUNDLE-010 to -013 where it is not
    what was packed, MissingError SR-BUNDLE-014 for one of a later format.
    """
    with _open(path) as file:
        entries = _entries(file, path)
        found = _checked_places(file, path, entries)
        index = _index(file, path, found)
        yield Opened(path, file, index, tuple(found))


def _open(path: Path) -> BinaryIO:
    try:
        # A pipe would be waited for, and cannot be read twice.
        if path.exists() and not path.is_file():
            raise _no_bundle(path, "it is no plain file")
        return path.open("rb")
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
        raise _no_bundle(path, reason) from problem


def _no_bundle(path: Path, why: str) -> NoMatchError:
    return NoMatchError(
        "SR-BUNDLE-017", f"there is no bundle {str(path)!r}", evidence=[why], do="samerun pack RUN makes one"
    )


def _entries(file: BinaryIO, path: Path) -> list[Entry]:
    """Read the directory at the end of the file."""
    start, size, count = _directory(file, path)
    if count > MEMBERS or size > DIRECTORY_BYTES:
        raise damaged(path, f"it claims to hold {count} files")
    file.seek(start)
    data, at = file.read(size), 0
    entries = []
    for _ in range(count):
        if len(data) - at < spelling.CENTRAL.size:
            raise damaged(path, "its directory breaks off")
        fields = spelling.CENTRAL.unpack_from(data, at)
        at += spelling.CENTRAL.size
        length = fields[10] + fields[11] + fields[12]
        entries.append(_entry(path, fields, data[at : at + length]))
        at += length
    if at != size:
        raise damaged(path, "its directory is longer than what it lists")
    return entries


def _directory(file: BinaryIO, path: Path) -> tuple[int, int, int]:
    """Return where the directory begins, its bytes and how many members it lists; it must end where the file does."""
    total = file.seek(0, os.SEEK_END)
    tail = spelling.END.size + spelling.LOCATOR_64.size + spelling.END_64.size
    file.seek(max(0, total - tail))
    data = file.read(tail)
    if len(data) < spelling.END.size:
        raise damaged(path, "it is too short")
    end = spelling.END.unpack(data[-spelling.END.size :])
    if end[0] != spelling.END_MARK or end[7] != 0:
        raise damaged(path, "it does not end as a bundle does: cut short, or something was added")
    count, size, start, behind = end[4], end[5], end[6], spelling.END.size
    if count == spelling.MANY and size == start == spelling.LARGE and len(data) == tail:
        far = spelling.END_64.unpack(data[: spelling.END_64.size])
        if far[0] == spelling.END_64_MARK:
            count, size, start, behind = far[7], far[8], far[9], tail
    if start + size + behind != total:
        raise damaged(path, "its directory is not where it says: something stands before it, or it was cut short")
    return start, size, count


def _entry(path: Path, fields: tuple[int, ...], rest: bytes) -> Entry:
    """Read one line of the directory. What it says besides name, size and sum is compared by `_checked_places`."""
    mark, _, _, flags, method = fields[:5]
    if mark != spelling.CENTRAL_MARK or len(rest) != fields[10] + fields[11] + fields[12]:
        raise damaged(path, "its directory breaks off")
    try:
        name = rest[: fields[10]].decode("utf-8")
    except UnicodeDecodeError:
        raise member_refused(path, repr(rest[: fields[10]])[:200], "its name is no Unicode text") from None
    if flags & 1:
        raise member_refused(path, name, "it is encrypted")
    if method != spelling.STORED or fields[8] != fields[9]:
        raise member_refused(path, name, "it is compressed; a bundle stores its files as they are")
    if fields[15] >> 28 not in (0, 8):
        raise member_refused(path, name, "it is no plain file")
    fault = name_fault(name)
    if fault is not None:
        raise member_refused(path, name, fault)
    size, extra = fields[9], rest[fields[10] :]
    if size == spelling.LARGE and len(extra) >= 12:
        size = int.from_bytes(extra[4:12], "little")
    return Entry(name, size, fields[7])


def _checked_places(file: BinaryIO, path: Path, entries: Sequence[Entry]) -> list[Place]:
    """Spell the archive again from names, sizes and sums, and compare every byte that is no member's."""
    both = twins(entry.name for entry in entries)
    if both is not None:
        raise member_refused(path, both[1], f"it cannot stand beside {both[0]!r}: on some systems they are one")
    found = list(spelling.places(entries))
    total = file.seek(0, os.SEEK_END)
    wanted = spelling.ending(entries)
    start = found[-1].start + found[-1].entry.size if found else 0
    if start + len(wanted) != total:
        raise damaged(path, "its files do not fill it: they overlap, or something stands between them")
    file.seek(start)
    if file.read(len(wanted)) != wanted:
        raise damaged(path, "its directory is not spelt as in a bundle: another tool wrote it, or it was edited")
    for place in found:
        file.seek(place.offset)
        if file.read(len(place.header)) != place.header:
            raise member_refused(path, place.entry.name, "its header says something else than the directory")
    return found


def _index(file: BinaryIO, path: Path, found: Sequence[Place]) -> BundleIndex:
    if not found or found[0].entry.name != INDEX or found[0].entry.size > INDEX_BYTES:
        raise damaged(path, f"it does not begin with {INDEX}")
    place = found[0]
    file.seek(place.start)
    data = file.read(place.entry.size)
    if zlib.crc32(data) != place.entry.crc:
        raise other_bytes(path, INDEX)
    index = parse_index(data, INDEX)
    there = {place.entry.name: place.entry.size for place in found[1:]}
    if extra := sorted(there.keys() - index.members.keys()):
        raise other_members(path, extra[0], "the index does not list it")
    if missing := sorted(index.members.keys() - there.keys()):
        raise other_members(path, missing[0], "the index lists it, and it is not there")
    for name, facts in index.members.items():
        if facts.size != there[name]:
            raise other_bytes(path, name, f"stored: {facts.size} bytes", f"found: {there[name]} bytes")
    return index


def damaged(path: Path, why: str) -> DamageError:
    """Return the error for a file that is no whole bundle."""
    return DamageError("SR-BUNDLE-010", f"{path.name}: this is no whole bundle", evidence=[why], do=RESTORE)


def member_refused(path: Path, name: str, why: str) -> DamageError:
    """Return the error for a member that no bundle may hold."""
    return DamageError("SR-BUNDLE-011", f"{path.name}: {name[:200]!r} is refused", evidence=[why], do=RESTORE)


def other_members(path: Path, name: str, why: str) -> DamageError:
    """Return the error for a bundle that holds other files than its index lists."""
    return DamageError("SR-BUNDLE-012", f"{path.name}: {name[:200]!r}: {why}", do=RESTORE)


def other_bytes(path: Path, name: str, *evidence: str) -> DamageError:
    """Return the error for a member whose bytes are not those that were packed."""
    return DamageError(
        "SR-BUNDLE-013", f"{path.name}: {name[:200]!r} is not what was packed", evidence=evidence, do=RESTORE
    )
