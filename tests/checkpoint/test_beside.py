"""Work beside the writer: the same result, the same error, also where no thread can start."""

from __future__ import annotations

import hashlib
import threading
from typing import Any

import pytest
import xxhash

from samerun.checkpoint.beside import Beside, Hashing


def no_more_threads(*given: Any) -> None:
    raise RuntimeError("can't create new thread at interpreter shutdown")


@pytest.fixture(params=[False, True], ids=["thread", "in place"])
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param:
        monkeypatch.setattr(threading.Thread, "start", no_more_threads)


@pytest.mark.usefixtures("threads")
def test_the_result_is_what_the_function_returned() -> None:
    assert Beside(lambda: 7, "x").result() == 7


@pytest.mark.usefixtures("threads")
def test_an_error_is_raised_by_result_and_not_by_wait() -> None:
    work = Beside(lambda: 1 // 0, "x")
    work.wait()
    with pytest.raises(ZeroDivisionError):
        work.result()


@pytest.mark.usefixtures("threads")
def test_bytes_are_hashed_in_order() -> None:
    parts = [bytes([at % 256]) * 5000 for at in range(600)]
    with Hashing() as hashing:
        for part in parts:
            hashing.add(memoryview(part))
        sha256, check = hashing.values()
    whole = b"".join(parts)
    assert sha256 == f"sha256:{hashlib.sha256(whole).hexdigest()}"
    assert check == f"xxh3:{xxhash.xxh3_128_hexdigest(whole)}"


def test_leaving_early_ends_the_thread() -> None:
    before = threading.active_count()
    with pytest.raises(KeyError), Hashing() as hashing:
        hashing.add(memoryview(b"x"))
        raise KeyError
    assert threading.active_count() == before
