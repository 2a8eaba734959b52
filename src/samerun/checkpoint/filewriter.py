"""One file of a checkpoint: written, fsynced, read back, compared. Hashing runs beside the writing.

SHA-256 takes as long as the disk; in a thread of its own it hides behind write and fsync (hashlib and write() let go
of the interpreter lock). What the thread lags behind is bounded, since gathered copies of tensors wait in its queue.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Self

from samerun.base import files
from samerun.base.digest import Sha256, Xxh3
from samerun.checkpoint.format import FileFacts, file_damage

SLICE_BYTES = 1 << 20
LAG_SLICES = 256


class _Hashing:
    """SHA-256 in a thread of its own."""

    def __init__(self) -> None:
        self._running = Sha256()
        self._waiting: queue.Queue[memoryview | None] = queue.Queue(LAG_SLICES)
        self._thread = threading.Thread(target=self._work, name="samerun-sha256", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def add(self, data: memoryview) -> None:
        """Hash it soon; its memory must not change until the end."""
        self._waiting.put(data)

    def _work(self) -> None:
        while (data := self._waiting.get()) is not None:
            self._running.update(data)

    def __exit__(self, *problem: object) -> None:
        self._waiting.put(None)
        self._thread.join()

    @property
    def value(self) -> str:
        return self._running.value


def write_verified(path: Path, blocks: Iterable[bytes | memoryview], nbytes: int) -> FileFacts:
    """Write a new file of about `nbytes` durably and return its size and SHA-256. Its name is the folder's to sync.

    Raises DamageError (SR-CHECKPOINT-010) where it does not read back: a disk or a driver kept something else.
    """
    check = Xxh3()
    facts = _write_small(path, blocks, check) if nbytes < SLICE_BYTES else _write_large(path, blocks, check)
    found = _read_back(path)
    if found != (facts.size, check.value):
        sizes = f"written: {facts.size} bytes", f"read: {found[0]} bytes"
        raise file_damage(path.name, "it does not read back as it was written", *sizes)
    return facts


def _write_small(path: Path, blocks: Iterable[bytes | memoryview], check: Xxh3) -> FileFacts:
    data = b"".join(blocks)
    check.update(data)
    return FileFacts(*files.write_chunks(path, [data]))


def _write_large(path: Path, blocks: Iterable[bytes | memoryview], check: Xxh3) -> FileFacts:
    out = files.Appender(path)
    try:
        with _Hashing() as hashing:
            for data in _slices(blocks):
                hashing.add(data)
                check.update(data)
                out.append(data)  # type: ignore[arg-type]  # any buffer goes to write()
            out.sync()
    finally:
        out.close()
    return FileFacts(out.size, hashing.value)


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
