"""One operation at a time on a live run: training, evaluation, checkpoint load and close never overlap across threads.

Nothing here waits. A second thread is refused at once and has changed nothing; the same thread may nest
(an evaluation inside a training step). What a thread left open when it ended passes to the next one that asks.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from samerun.errors import RefusedError


class Operations:
    """Remembers which thread is doing what; `enter` and `leave` are paired by the caller or by `doing`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner: threading.Thread | None = None
        self._under_way: list[str] = []

    @property
    def is_nested(self) -> bool:
        """Whether an operation is under way inside another one: an evaluation inside a training step."""
        return len(self._under_way) > 1

    def enter(self, operation: str) -> None:
        """Begin an operation, or refuse it (SR-RUN-001) when another thread is inside one."""
        me = threading.current_thread()
        with self._lock:
            if self._owner not in (None, me) and self._owner.is_alive():
                raise RefusedError(
                    "SR-RUN-001",
                    f"{operation} was asked for while another thread is in {self._under_way[-1]}",
                    evidence=(f"under way: {', '.join(self._under_way)}", f"refused: {operation}"),
                    do="call it from the thread that runs the loop; from other threads use run.stop()",
                )
            self._owner = me
            self._under_way.append(operation)

    def leave(self, operation: str) -> None:
        """End the newest operation of that name; leaving one that was never entered is our own bug."""
        with self._lock:
            assert operation in self._under_way, operation
            position = len(self._under_way) - 1 - self._under_way[::-1].index(operation)
            del self._under_way[position]
            if not self._under_way:
                self._owner = None

    @contextmanager
    def doing(self, operation: str) -> Iterator[None]:
        """Hold an operation for the length of a block."""
        self.enter(operation)
        try:
            yield
        finally:
            self.leave(operation)
