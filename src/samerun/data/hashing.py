"""Read many files once, several at a time, into digests. A file that changes meanwhile gets none.

Results are placed by index, never by arrival. Threads suffice: reading and hashing hold no interpreter lock.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from samerun.base import clock
from samerun.data.entry import CHANGED
from samerun.data.scan import Found

BLOCK_BYTES: Final = 1 << 20
CHUNK_FILES: Final = 64
CHUNK_BYTES: Final = 16 << 20
"""What one thread takes at a time: so many files, or files of so many bytes together."""
YOUNG_SECONDS: Final = 2.0
"""A file that changed this short ago may change again with the same time stamps: it is read twice, and not cached."""
_OPEN: Final = os.O_CLOEXEC | os.O_NONBLOCK
_JOBS: Final = 8


@dataclass(frozen=True, slots=True)
class Hashed:
    """What reading one file gave: its digest, or why it has none."""

    file: Found
    """The file as it was while it was read."""
    digest: str | None
    """64 hex digits."""
    problem: str | None = None
    is_young: bool = False


class _Aborted(Exception):
    """Another thread asked for the end."""


def default_jobs() -> int:
    """Return how many files are read at a time: one for each processor of this process, at most 8."""
    return min(len(os.sched_getaffinity(0)), _JOBS)


def hash_files(files: Sequence[Found], jobs: int, done: Callable[[Sequence[Hashed]], None]) -> None:
    """Read files, `jobs` at a time, and hand over results chunk by chunk, in this thread, as they come.

    On an exception (an interrupt) what is under way is ended within one block, and what is ready is handed over first.
    """
    chunks = _chunks(files)
    if jobs == 1 or len(files) == 1:
        buffer = bytearray(BLOCK_BYTES)
        for chunk in chunks:
            done([hash_file(file, buffer) for file in chunk])
        return
    with ThreadPoolExecutor(jobs, "samerun-hash") as pool:
        _in_pool(pool, chunks, 2 * jobs, done)


def _in_pool(
    pool: ThreadPoolExecutor, chunks: Iterator[list[Found]], ahead: int, done: Callable[[Sequence[Hashed]], None]
) -> None:
    stop = threading.Event()
    pending: set[Future[list[Hashed]]] = set()
    try:
        for chunk in chunks:
            pending.add(pool.submit(_hash_chunk, chunk, stop))
            if len(pending) >= ahead:
                pending = _handed_over(pending, done)
        while pending:
            pending = _handed_over(pending, done)
    except BaseException:
        stop.set()
        pool.shutdown(cancel_futures=True)
        for future in pending:
            if future.done() and not future.cancelled() and future.exception() is None:
                done(future.result())
        raise


def _handed_over(
    pending: set[Future[list[Hashed]]], done: Callable[[Sequence[Hashed]], None]
) -> set[Future[list[Hashed]]]:
    # samerun: allow[SR122] each result names its file, and files are sorted afterwards
    ready, left = wait(pending, return_when=FIRST_COMPLETED)
    for future in ready:
        done(future.result())
    return left


def _chunks(files: Sequence[Found]) -> Iterator[list[Found]]:
    chunk: list[Found] = []
    size = 0
    for file in files:
        chunk.append(file)
        size += file.size
        if len(chunk) == CHUNK_FILES or size >= CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


_buffers = threading.local()


def _hash_chunk(chunk: list[Found], stop: threading.Event) -> list[Hashed]:
    buffer: bytearray | None = getattr(_buffers, "buffer", None)
    if buffer is None:
        buffer = _buffers.buffer = bytearray(BLOCK_BYTES)
    return [hash_file(file, buffer, stop) for file in chunk]


def hash_file(file: Found, buffer: bytearray, stop: threading.Event | None = None) -> Hashed:
    """Read a file; once more where it changed meanwhile. `buffer` is overwritten."""
    try:
        found = _read(file, buffer, stop)
        return _read(file, buffer, stop) if found.problem == CHANGED else found
    except OSError as error:
        return Hashed(file, None, f"it cannot be read: {error.strerror}")


def _read(file: Found, buffer: bytearray, stop: threading.Event | None) -> Hashed:
    opened = os.open(file.path, os.O_RDONLY | _OPEN)
    try:
        before = os.fstat(opened)
        if not stat.S_ISREG(before.st_mode):
            return Hashed(file, None, "no regular file")
        now = clock.wall()
        running, view, size = sha256(), memoryview(buffer), 0
        while count := os.readv(opened, [buffer]):
            running.update(view[:count])
            size += count
            if size >= before.st_size and count < BLOCK_BYTES:
                break
            if stop is not None and stop.is_set():
                raise _Aborted
        after = os.fstat(opened)
    finally:
        os.close(opened)
    if _facts(before) != _facts(after) or size != before.st_size:
        return Hashed(file, None, CHANGED)
    is_young = now - max(before.st_mtime, before.st_ctime) < YOUNG_SECONDS
    return Hashed(Found(file.id, file.path, *_facts(before)), running.hexdigest(), None, is_young)


def _facts(facts: os.stat_result) -> tuple[int, int, int, int]:
    return facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino
