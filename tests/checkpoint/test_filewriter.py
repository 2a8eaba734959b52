"""One file: size and SHA-256 are those of its bytes, on the small path and on the one that hashes in a thread."""

from __future__ import annotations

import errno
import hashlib
import os
import threading
from pathlib import Path

import pytest

from samerun.base import files
from samerun.checkpoint.filewriter import SLICE_BYTES, write_verified
from samerun.errors import MissingError


@pytest.mark.parametrize("size", [0, 1, 1000, SLICE_BYTES - 1, SLICE_BYTES, 3 * SLICE_BYTES + 17])
def test_size_and_digest_are_those_of_the_file(size: int, tmp_path: Path) -> None:
    data = os.urandom(size)
    blocks = [b"head", memoryview(data), b"tail"]
    facts = write_verified(tmp_path / "f", blocks, size)
    whole = (tmp_path / "f").read_bytes()
    assert whole == b"head" + data + b"tail"
    assert facts.size == len(whole) and facts.sha256 == f"sha256:{hashlib.sha256(whole).hexdigest()}"


@pytest.mark.parametrize("size", [10, 5 * SLICE_BYTES])
def test_an_error_while_writing_is_named_and_leaves_no_thread(size: int, tmp_path: Path) -> None:
    def hook(operation: str, path: Path) -> None:
        if operation == "fsync":
            raise OSError(errno.ENOSPC, "full")

    before = threading.active_count()
    files.on_operation(hook)
    try:
        with pytest.raises(MissingError, match="SR-FILE-001"):
            write_verified(tmp_path / "f", [bytes(size)], size)
    finally:
        files.on_operation(None)
    assert threading.active_count() == before
