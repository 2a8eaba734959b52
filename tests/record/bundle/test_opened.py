"""What is refused as a bundle: each way in which an archive can lie, and any byte of one that is edited."""

from __future__ import annotations

import io
import os
import random
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from samerun.errors import DamageError, MissingError, NoMatchError, SamerunError
from samerun.record.bundle import spelling
from samerun.record.bundle.names import INDEX
from samerun.record.bundle.opened import open_bundle

Hostile = Callable[..., Path]
SAMPLE = 400


def read_all(path: Path) -> dict[str, bytes]:
    with open_bundle(path) as bundle:
        return {place.entry.name: b"".join(bundle.blocks(place)) for place in bundle.places}


def refused(path: Path, code: str, word: str = "") -> None:
    with pytest.raises(DamageError, match=code) as caught:
        read_all(path)
    assert word in str(caught.value) and caught.value.exit_code == 6


def test_a_bundle_reads_back_what_was_packed(bundle: Path, packing: object) -> None:
    found = read_all(bundle)
    assert found == {member.name: b"".join(member.blocks()) for member in packing.members}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "name",
    ["../x", "run/../../x", "/etc/passwd", "C:/x", "run\\x", "run/a\nb", "run//x", "run/./x", "run/x.", "run/a\0b",
     "run/" + "x" * 256, "run/" + "a/" * 40 + "x"],
)  # fmt: skip
def test_a_name_that_leads_out_or_cannot_be_is_refused(hostile: Hostile, name: str) -> None:
    refused(hostile({name: b"x"}), "SR-BUNDLE-011")


@pytest.mark.parametrize(
    "names", [("run/a", "run/a"), ("run/a", "run/A"), ("run/\u00e9", "run/e\u0301"), ("run/a", "run/a/b")]
)
def test_names_that_are_one_on_some_systems_are_refused(hostile: Hostile, names: tuple[str, str]) -> None:
    refused(hostile([(name, b"x") for name in names]), "SR-BUNDLE-011", "cannot stand beside")


def test_members_beside_the_index_and_members_that_it_lacks_are_refused(hostile: Hostile) -> None:
    refused(hostile({"run/a": b"1", "run/b": b"2"}, listed={"run/a": b"1"}), "SR-BUNDLE-012", "does not list")
    refused(hostile({"run/a": b"1"}, listed={"run/a": b"1", "run/b": b"2"}), "SR-BUNDLE-012", "not there")


def test_a_member_with_another_digest_or_size_is_refused(hostile: Hostile) -> None:
    refused(hostile({"run/a": b"1"}, listed={"run/a": b"2"}), "SR-BUNDLE-013", "sha256")
    refused(hostile({"run/a": b"1"}, listed={"run/a": b"22"}), "SR-BUNDLE-013", "2 bytes")


def test_a_truncated_a_prefixed_and_a_lengthened_bundle_are_refused(bundle: Path) -> None:
    data = bundle.read_bytes()
    for cut in (0, 10, 21, 22, len(data) // 2, len(data) - 1):
        bundle.write_bytes(data[:cut])
        refused(bundle, "SR-BUNDLE-010")
    for other in (b"#!/bin/sh\n" + data, data + b"x", data + data, b"", b"PK\x05\x06" + b"\0" * 18):
        bundle.write_bytes(other)
        refused(bundle, "SR-BUNDLE-010")


def test_a_second_directory_or_a_comment_is_refused(bundle: Path) -> None:
    data = bundle.read_bytes()
    end = spelling.END.unpack(data[-spelling.END.size :])
    directory = data[end[6] : end[6] + end[5]]
    moved = spelling.END.pack(*end[:6], end[6] + len(directory), 0)
    bundle.write_bytes(data[: end[6]] + directory + directory + moved)
    refused(bundle, "SR-BUNDLE-010", "do not fill it")
    bundle.write_bytes(data[: -spelling.END.size] + spelling.END.pack(*end[:7], 3) + b"abc")
    refused(bundle, "SR-BUNDLE-010")


def zipped(path: Path, compression: int, **attributes: int) -> Path:
    """Write an archive with the standard library, whose members are a link, a device, or compressed."""
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name in (INDEX, "run/a"):
            info = zipfile.ZipInfo(name)
            info.compress_type = compression
            for key, value in attributes.items():
                setattr(info, key, value)
            archive.writestr(info, b"0" * 5000)
    return path


def test_a_compressed_archive_is_refused_before_anything_is_inflated(tmp_path: Path) -> None:
    refused(zipped(tmp_path / "z.zip", zipfile.ZIP_DEFLATED), "SR-BUNDLE-011", "compressed")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb", b"\0" * 50_000_000)
    (tmp_path / "bomb.zip").write_bytes(out.getvalue())
    refused(tmp_path / "bomb.zip", "SR-BUNDLE-011", "compressed")


@pytest.mark.parametrize("mode", [0o120777, 0o060600, 0o020600, 0o010600, 0o040755])
def test_links_devices_pipes_and_folders_are_refused(tmp_path: Path, mode: int) -> None:
    refused(zipped(tmp_path / "z.zip", zipfile.ZIP_STORED, external_attr=mode << 16), "SR-BUNDLE-011", "no plain file")


def test_an_archive_of_another_tool_is_refused_and_said_to_be_one(tmp_path: Path) -> None:
    refused(zipped(tmp_path / "z.zip", zipfile.ZIP_STORED), "SR-BUNDLE-010", "another tool")


def patched(path: Path, offset: int, value: bytes) -> Path:
    data = bytearray(path.read_bytes())
    data[offset : offset + len(value)] = value
    path.write_bytes(bytes(data))
    return path


def directory_of(path: Path) -> int:
    data = path.read_bytes()
    return int(spelling.END.unpack(data[-spelling.END.size :])[6])


def test_an_encrypted_member_is_refused(hostile: Hostile) -> None:
    path = hostile({"run/a": b"1"})
    refused(patched(path, directory_of(path) + 8, struct.pack("<H", 0x0801)), "SR-BUNDLE-011", "encrypted")


def test_a_member_that_claims_to_be_larger_than_the_file_is_refused(hostile: Hostile) -> None:
    path = hostile({"run/a": b"1"})
    second = directory_of(path) + spelling.CENTRAL.size + len(INDEX)
    refused(patched(path, second + 20, struct.pack("<II", 1 << 31, 1 << 31)), "SR-BUNDLE-010", "overlap")
    refused(patched(path, second + 20, struct.pack("<II", 1, 1 << 31)), "SR-BUNDLE-011", "compressed")


def test_an_archive_that_claims_more_members_than_it_can_hold_is_refused(bundle: Path) -> None:
    data = bundle.read_bytes()
    end = spelling.END.unpack(data[-spelling.END.size :])
    bundle.write_bytes(data[: -spelling.END.size] + spelling.END.pack(*end[:3], 9999, 9999, *end[5:]))
    refused(bundle, "SR-BUNDLE-010", "breaks off")


def test_an_archive_that_claims_a_billion_members_is_refused_at_once(bundle: Path) -> None:
    data = bundle.read_bytes()
    end = spelling.END.unpack(data[-spelling.END.size :])
    start, many = end[6], 10**9
    far = spelling.END_64.pack(spelling.END_64_MARK, 44, 0, 45, 0, 0, many, many, end[5], start)
    locator = spelling.LOCATOR_64.pack(spelling.LOCATOR_64_MARK, 0, start + end[5], 1)
    large = (spelling.MANY, spelling.MANY, spelling.LARGE, spelling.LARGE, 0)
    bundle.write_bytes(data[: -spelling.END.size] + far + locator + spelling.END.pack(spelling.END_MARK, 0, 0, *large))
    refused(bundle, "SR-BUNDLE-010", "claims to hold")


def test_a_local_header_that_says_something_else_than_the_directory_is_refused(hostile: Hostile) -> None:
    path = hostile({"run/a": b"1"})
    place = path.read_bytes().index(b"run/a1")
    refused(patched(path, place, b"run/b"), "SR-BUNDLE-011", "header")


def test_a_bundle_of_a_later_format_is_no_damage(hostile: Hostile, tmp_path: Path) -> None:
    from samerun.base.sealed import seal
    from samerun.record.bundle.members import member_of_bytes

    member = member_of_bytes(INDEX, seal({"schema": "samerun.bundle", "format": 2}))
    (place,) = spelling.places([member.entry])
    (tmp_path / "later.zip").write_bytes(place.header + member.data + spelling.ending([member.entry]))
    with pytest.raises(MissingError, match="SR-BUNDLE-014"):
        read_all(tmp_path / "later.zip")


def test_a_bundle_that_is_not_there_is_no_match(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "gone.zip", tmp_path, tmp_path / "a" / "b.zip", tmp_path / "pipe", tmp_path / ("x" * 300)):
        with pytest.raises(NoMatchError, match="SR-BUNDLE-017"):
            read_all(path)


def flip(path: Path, places: list[int]) -> None:
    """Change one byte after the other, and see each change refused: never another content, never another error."""
    data = path.read_bytes()
    draw = random.Random(7)
    for at in places:
        other = bytearray(data)
        other[at] ^= draw.randrange(1, 256)
        path.write_bytes(bytes(other))
        with pytest.raises(SamerunError) as caught:
            read_all(path)
        assert caught.value.exit_code in (4, 6), (at, caught.value)
    path.write_bytes(data)


def test_an_edited_byte_anywhere_is_found(hostile: Hostile) -> None:
    path = hostile({"run/manifest.json": b"{}\n", "run/metrics.jsonl": b"row\n" * 5})
    flip(path, list(range(path.stat().st_size)))


def test_an_edited_byte_of_the_bundle_of_a_run_is_found(bundle: Path) -> None:
    flip(bundle, random.Random(3).sample(range(bundle.stat().st_size), SAMPLE))


@pytest.mark.slow
def test_every_edited_byte_of_the_bundle_of_a_run_is_found(bundle: Path) -> None:
    flip(bundle, list(range(bundle.stat().st_size)))
