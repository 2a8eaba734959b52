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
    """SHA-256 in a thread, or at once for a file of one slice."""

    def __init__(self) -> None:
        self._running = Sha256()
        self._waiting: queue.Queue[memoryview | None] = queue.Queue(LAG_SLICES)
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        return self

    def add(self, data: memoryview) -> None:
        if self._thread is None:
            if len(data) < SLICE_BYTES:
                self._running.update(data)
                return
            self._thread = threading.Thread(target=self._work, name="samerun-sha256", daemon=True)
            self._thread.start()
        self._waiting.put(data)

    def _work(self) -> None:
        while (data := self._waiting.get()) is not None:
            self._running.update(data)

    def __exit__(self, *problem: object) -> None:
        if self._thread is not None:
            self._waiting.put(None)
            self._thread.join()

    @property
    def value(self) -> str:
        return self._running.value


def write_verified(path: Path, blocks: Iterable[bytes | memoryview]) -> FileFacts:
    """Write a new file durably and return its size and SHA-256.

    Raises DamageError (SR-CHECKPOINT-010) where it does not read back: a disk or a driver kept something else.
    """
    check, out = Xxh3(), files.Appender(path)
    try:
        with _Hashing() as hashing:
            for data in _slices(blocks):
                hashing.add(data)
                check.update(data)
                out.append(data)  # type: ignore[arg-type]  # any buffer goes to write()
            out.sync()
    finally:
        out.close()
    found = _read_back(path)
    if found != (out.size, check.value):
        raise file_damage(
            path.name,
            "it does not read back as it was written",
            f"written: {out.size} bytes",
            f"read: {found[0]} bytes",
        )
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
