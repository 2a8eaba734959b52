"""Work beside the thread that writes: hashing lets go of the interpreter lock, and hides behind the disk.

Where no thread can be started any more (the interpreter is ending) the same work is done at once, in place.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, Self, TypeVar

from samerun.base.digest import Sha256, Xxh3

T = TypeVar("T")
LAG_SLICES = 256
"""How many slices may wait to be hashed: gathered copies of tensors are kept that long."""


class Beside(Generic[T]):
    """One call of a function in a thread; `result` waits for it and raises what it raised."""

    def __init__(self, work: Callable[[], T], name: str) -> None:
        self._work = work
        self._done: T | None = None
        self._problem: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        try:
            self._thread.start()
        except RuntimeError:
            self._run()

    def _run(self) -> None:
        try:
            self._done = self._work()
        except BaseException as problem:  # noqa: BLE001  # raised by result
            self._problem = problem

    def wait(self) -> None:
        """Wait until the call has ended, however it ended."""
        with suppress(RuntimeError):  # it was never started, and has run in place
            self._thread.join()

    def result(self) -> T:
        """Return what the function returned, or raise what it raised."""
        self.wait()
        if self._problem is not None:
            raise self._problem
        return self._done  # type: ignore[return-value]


class Hashing:
    """SHA-256 and xxh3 of a file's bytes while they are written; the memory handed in must not change meanwhile."""

    def __init__(self) -> None:
        self._sha256, self._xxh3 = Sha256(), Xxh3()
        self._waiting: queue.Queue[memoryview | None] = queue.Queue(LAG_SLICES)
        self._thread = threading.Thread(target=self._run, name="samerun-hash", daemon=True)

    def __enter__(self) -> Self:
        with suppress(RuntimeError):
            self._thread.start()
        return self

    def add(self, data: memoryview) -> None:
        """Hash these bytes, soon."""
        if self._thread.is_alive():
            self._waiting.put(data)
        else:
            self._hash(data)

    def _run(self) -> None:
        while (data := self._waiting.get()) is not None:
            self._hash(data)

    def _hash(self, data: memoryview) -> None:
        self._sha256.update(data)
        self._xxh3.update(data)

    def values(self) -> tuple[str, str]:
        """Wait until all is hashed; return (`sha256:...`, `xxh3:...`)."""
        self.__exit__()
        return self._sha256.value, self._xxh3.value

    def __exit__(self, *problem: object) -> None:
        if self._thread.is_alive():
            self._waiting.put(None)
            self._thread.join()
