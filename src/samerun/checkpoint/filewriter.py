"""One file of a checkpoint: written, fsynced, read back, compared. Hashing runs beside the writing (beside.py)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from samerun.base import files
from samerun.base.digest import Xxh3, xxh3
from samerun.checkpoint.beside import Hashing
from samerun.checkpoint.format import FileFacts, file_damage

SLICE_BYTES = 1 << 20


def write_verified(path: Path, blocks: Iterable[bytes | memoryview], nbytes: int) -> FileFacts:
    """Write a new file of about `nbytes` durably and return its size and SHA-256. Its name is the folder's to sync.

    Raises DamageError (SR-CHECKPOINT-010) where it does not read back: a disk or a driver kept something else.
    """
    return _write_small(path, b"".join(blocks)) if nbytes < SLICE_BYTES else _write_large(path, blocks)


def _write_small(path: Path, data: bytes) -> FileFacts:
    size, digest = files.write_chunks(path, [data])
    _compare(path, (size, xxh3(data)), _read_back(path))
    return FileFacts(size, digest)


def _write_large(path: Path, blocks: Iterable[bytes | memoryview]) -> FileFacts:
    out = files.Appender(path)
    try:
        with Hashing() as hashing:
            for data in _slices(blocks):
                hashing.add(data)
                out.append(data)  # type: ignore[arg-type]  # any buffer goes to write()
            out.sync()
            found = _read_back(path)
            sha256, check = hashing.values()
    finally:
        out.close()
    _compare(path, (out.size, check), found)
    return FileFacts(out.size, sha256)


def _compare(path: Path, written: tuple[int, str], found: tuple[int, str]) -> None:
    if found != written:
        sizes = f"written: {written[0]} bytes", f"read: {found[0]} bytes"
        raise file_damage(path.name, "it does not read back as it was written", *sizes)


def _slices(blocks: Iterable[bytes | memoryview]) -> Iterator[memoryview]:
    for block in blocks:
        view = memoryview(block)
        for begin in range(0, len(view), SLICE_BYTES):
            yield view[begin : begin + SLICE_BYTES]


def _read_back(path: Path) -> tuple[int, str]:
    running, size, block = Xxh3(), 0, memoryview(bytearray(SLICE_BYTES))
    with open(path, "rb", buffering=0) as file:
        while count := file.readinto(block):
            running.update(block[:count])
            size += count
    return size, running.value
