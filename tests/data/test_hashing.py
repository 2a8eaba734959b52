"""Reading many files, several at a time."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from samerun.data.hashing import BLOCK_BYTES, CHUNK_FILES, Hashed, default_jobs, hash_file, hash_files
from samerun.data.scan import Found, scan


def of(folder: Path) -> list[Found]:
    return scan(folder).files


@pytest.mark.parametrize("size", [0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 3 * BLOCK_BYTES])
def test_the_digest_is_that_of_the_bytes(tmp_path: Path, size: int) -> None:
    data = os.urandom(size)
    (tmp_path / "x").write_bytes(data)
    (file,) = of(tmp_path)
    found = hash_file(file, bytearray(BLOCK_BYTES))
    assert (found.digest, found.problem, found.file) == (sha256(data).hexdigest(), None, file)


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_every_file_is_read_once_however_many_at_a_time(tmp_path: Path, jobs: int) -> None:
    for number in range(3 * CHUNK_FILES + 1):
        (tmp_path / f"{number:03d}").write_text(str(number))
    found: list[Hashed] = []
    hash_files(of(tmp_path), jobs, found.extend)
    assert {one.file.id: one.digest for one in found} == {
        f"{number:03d}": sha256(str(number).encode()).hexdigest() for number in range(3 * CHUNK_FILES + 1)
    }
    assert len(found) == 3 * CHUNK_FILES + 1 and default_jobs() >= 1


def test_a_file_that_is_young_says_so_and_an_old_one_does_not(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    assert hash_file(of(tmp_path)[0], bytearray(10)).is_young
    passwd = Path("/proc/self/exe").resolve()
    assert not hash_file(scan(passwd).files[0], bytearray(BLOCK_BYTES)).is_young


def test_a_file_that_changes_under_the_reading_has_no_digest(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(bytes(32 * BLOCK_BYTES))
    (file,) = of(tmp_path)
    stop = threading.Event()

    def write() -> None:
        with path.open("r+b", buffering=0) as opened:
            while not stop.is_set():
                opened.write(b"x")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        found = hash_file(file, bytearray(BLOCK_BYTES))
    finally:
        stop.set()
        writer.join()
    assert (found.digest, found.problem) == (None, "it changed while it was read")


def test_what_went_away_or_became_a_pipe_since_the_listing_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    (file,) = of(tmp_path)
    (tmp_path / "x").unlink()
    assert hash_file(file, bytearray(10)).problem == "it cannot be read: No such file or directory"
    os.mkfifo(tmp_path / "x")
    assert hash_file(file, bytearray(10)).problem == "no regular file"


@pytest.mark.parametrize("jobs", [1, 3])
def test_an_interrupt_ends_the_reading_and_keeps_what_was_ready(tmp_path: Path, jobs: int) -> None:
    for number in range(20 * CHUNK_FILES):
        (tmp_path / f"{number:04d}").write_text("x")
    found: list[Hashed] = []

    def done(chunk: Sequence[Hashed]) -> None:
        found.extend(chunk)
        if len(found) == 2 * CHUNK_FILES:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hash_files(of(tmp_path), jobs, done)
    assert 2 * CHUNK_FILES <= len(found) < 20 * CHUNK_FILES
