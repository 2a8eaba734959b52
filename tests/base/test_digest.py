"""Digests: known answers, names of their own kind, and the same value in one piece or in many."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from samerun.base.digest import BLOCK_BYTES, Sha256, Xxh3, sha256, sha256_file, xxh3


def test_digests_are_those_of_the_published_algorithms() -> None:
    assert sha256(b"abc") == "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert xxh3(b"") == "xxh3:99aa06d3014798d86001c324468d497f"
    assert xxh3(b"abc") == "xxh3:06b05ab6733a618578af5f94892f3950"


def test_pieces_give_the_digest_of_the_whole() -> None:
    running, quick = Sha256(), Xxh3()
    for piece in (b"ab", b"", memoryview(b"c")):
        running.update(piece)
        quick.update(piece)
    assert running.value == sha256(b"abc") == running.value
    assert quick.value == xxh3(b"abc")


def test_arrays_are_taken_as_their_bytes() -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert sha256(memoryview(array)) == sha256(array.tobytes())
    assert xxh3(memoryview(array)) == xxh3(array.tobytes())


def test_a_file_larger_than_a_block_has_the_digest_of_its_bytes(tmp_path: Path) -> None:
    data = bytes(range(256)) * (BLOCK_BYTES // 256) + b"tail"
    path = tmp_path / "x"
    path.write_bytes(data)
    assert sha256_file(path) == f"sha256:{hashlib.sha256(data).hexdigest()}"
