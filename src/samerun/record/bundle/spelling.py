"""The bytes of a bundle: a zip archive, stored without compression, spelt in one way only.

PKWARE's APPNOTE 6.3 names the fields. No time, owner or mode of a machine is in it and no compressor, whose versions
differ, so equal members give equal bytes. Which members there are is packing.py's to say, reading is opened.py's.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

LOCAL: Final = struct.Struct("<IHHHHHIIIHH")
CENTRAL: Final = struct.Struct("<IHHHHHHIIIHHHHHII")
END: Final = struct.Struct("<IHHHHIIH")
END_64: Final = struct.Struct("<IQHHIIQQQQ")
LOCATOR_64: Final = struct.Struct("<IIQI")

LOCAL_MARK: Final = 0x04034B50
CENTRAL_MARK: Final = 0x02014B50
END_MARK: Final = 0x06054B50
END_64_MARK: Final = 0x06064B50
LOCATOR_64_MARK: Final = 0x07064B50

UTF8: Final = 0x0800
STORED: Final = 0
TIME, DATE = 0, (1 << 5) | 1
"""Midnight of 1 January 1980: the first instant that the format can say."""
MADE_BY: Final = (3 << 8) | 45
"""Unix, so that the mode below counts."""
MODE: Final = 0o100644 << 16
LARGE: Final = 0xFFFFFFFF
"""From here on a size or an offset stands in a field of 64 bits."""
MANY: Final = 0xFFFF


@dataclass(frozen=True)
class Entry:
    """What an archive says of one member."""

    name: str
    size: int
    crc: int


@dataclass(frozen=True)
class Place:
    """One member in the archive: where its header begins, the header, and where its bytes begin."""

    entry: Entry
    offset: int
    header: bytes

    @property
    def start(self) -> int:
        """Where the bytes of the member begin."""
        return self.offset + len(self.header)


def places(entries: Sequence[Entry], large: int = LARGE) -> Iterator[Place]:
    """Yield where each member lies: one behind the other, in the order given, with nothing between."""
    offset = 0
    for entry in entries:
        place = Place(entry, offset, _local(entry, large))
        yield place
        offset = place.start + entry.size


def ending(entries: Sequence[Entry], large: int = LARGE, many: int = MANY) -> bytes:
    """Return what stands behind the members: the directory, and where it is."""
    directory, start = bytearray(), 0
    for place in places(entries, large):
        directory += _central(place, large)
        start = place.start + place.entry.size
    size, count = len(directory), len(entries)
    if max(start, size) < large and count < many:
        return bytes(directory) + END.pack(END_MARK, 0, 0, count, count, size, start, 0)
    far = END_64.pack(END_64_MARK, END_64.size - 12, MADE_BY, 45, 0, 0, count, count, size, start)
    locator = LOCATOR_64.pack(LOCATOR_64_MARK, 0, start + size, 1)
    return bytes(directory) + far + locator + END.pack(END_MARK, 0, 0, MANY, MANY, LARGE, LARGE, 0)


def _local(entry: Entry, large: int) -> bytes:
    name, is_large = entry.name.encode(), entry.size >= large
    extra = struct.pack("<HHQQ", 1, 16, entry.size, entry.size) if is_large else b""
    size = LARGE if is_large else entry.size
    needed = 45 if is_large else 20
    head = LOCAL.pack(LOCAL_MARK, needed, UTF8, STORED, TIME, DATE, entry.crc, size, size, len(name), len(extra))
    return head + name + extra


def _central(place: Place, large: int) -> bytes:
    entry, name = place.entry, place.entry.name.encode()
    wide = [entry.size, entry.size] if entry.size >= large else []
    wide += [place.offset] if place.offset >= large else []
    extra = struct.pack(f"<HH{len(wide)}Q", 1, 8 * len(wide), *wide) if wide else b""
    size = LARGE if entry.size >= large else entry.size
    offset = LARGE if place.offset >= large else place.offset
    fields = (CENTRAL_MARK, MADE_BY, 45 if wide else 20, UTF8, STORED, TIME, DATE, entry.crc, size, size)
    return CENTRAL.pack(*fields, len(name), len(extra), 0, 0, 0, MODE, offset) + name + extra
