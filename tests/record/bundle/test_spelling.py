"""The one spelling of an archive: what other tools read, and what they say of it."""

from __future__ import annotations

import io
import zipfile
import zlib

import pytest

from samerun.record.bundle.spelling import Entry, ending, places

MEMBERS = {"bundle.json": b"{}\n", "run/ä.txt": b"text" * 40, "run/empty": b""}


def archive(large: int = 1 << 40, many: int = 1 << 40) -> bytes:
    entries = [Entry(name, len(data), zlib.crc32(data)) for name, data in MEMBERS.items()]
    found = zip(places(entries, large), MEMBERS.values(), strict=True)
    return b"".join(place.header + data for place, data in found) + ending(entries, large, many)


@pytest.mark.parametrize(("large", "many"), [(1 << 31, 1000), (100, 1000), (1, 1000), (1 << 31, 2)])
def test_the_standard_library_reads_what_is_spelt_also_with_fields_of_64_bits(large: int, many: int) -> None:
    with zipfile.ZipFile(io.BytesIO(archive(large, many))) as read:
        assert read.testzip() is None
        assert {name: read.read(name) for name in read.namelist()} == MEMBERS
        for info in read.infolist():
            assert info.date_time == (1980, 1, 1, 0, 0, 0) and info.compress_type == zipfile.ZIP_STORED
            assert info.external_attr >> 16 == 0o100644


def test_the_bytes_are_pinned() -> None:
    # A bundle of today has to be the bundle of any later version.
    assert zlib.crc32(archive()) == 3687340204
