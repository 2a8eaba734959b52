"""A pool of loader processes: batches come back in the order they were asked for, whatever happens to a worker.

Not torch's own pool: there, making an iterator draws from the global generator, a dying worker raises out of whatever
line the training is at (its SIGCHLD handler), and one that dies while it writes can leave all others, and the reader,
waiting for ever (one queue for all). Here each worker has a channel of whole messages. The other side is worker.py.
"""

from __future__ import annotations

import os
import sys
import weakref
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import spawn
from typing import Any

from samerun.data import wire
from samerun.data.fetch import Fetched, Fetcher, Request
from samerun.data.foreign import torch_settings
from samerun.data.sessions import Session
from samerun.errors import MissingError, UsageError

RESTARTS = 3
"""How often a pool is started again for one and the same batch."""

_is_inside = False


def mark_inside() -> None:
    """Note that this process is a worker: no pool may be started in it."""
    global _is_inside
    _is_inside = True


def unreachable(text: str) -> UsageError:
    """Return the error for a data set that workers cannot find: its module or script cannot be imported there."""
    return UsageError(
        "SR-DATA-005",
        "loader workers cannot get at the data set, its transform or its collate function",
        evidence=[*text.splitlines()[-3:], "workers import the module (or the script) that defines them"],
        do="define them in a module, keep the training under `if __name__ == '__main__':`, or set num_workers=0",
    )


class Pool:
    """Workers that make batches. Bits, order and counts are those of the fetcher in this process."""

    def __init__(self, fetcher: Fetcher, num_workers: int, on_restart: Callable[[str], None] | None = None) -> None:
        if _is_inside:
            raise unreachable("the script starts a loader of its own while a worker imports it")
        self._num_workers = num_workers
        self._on_restart = on_restart
        self._parcel = _packed(fetcher)
        self._main = _main(self._parcel)
        self._sent: deque[tuple[int, Request | None]] = deque()
        self._turn = 0
        self._failures = 0
        self.restarts = 0
        """How often the workers were started again."""
        self.session: Session | None = None
        self._ender: weakref.finalize[..., Any] | None = None

    @property
    def num_waiting(self) -> int:
        """Requests whose batches have not been received."""
        return sum(request is not None for _, request in self._sent)

    def submit(self, request: Request) -> None:
        """Ask for a batch; workers take turns."""
        try:
            session = self.session or self._start()
            place = self._turn % self._num_workers
            self._turn += 1
            self._sent.append((place, request))
            # A worker that is gone is noticed when its answer is due.
            with suppress(OSError):
                wire.send(session.channels[place], request)
        except BaseException:
            self.close(at_once=True)
            raise

    def receive(self) -> tuple[Request, Fetched]:
        """Return the batch that was asked for first, and what was asked.

        A worker that died is replaced (with all others) and its batches are made again. Raises what user code raised,
        UsageError SR-DATA-005 (workers cannot start), MissingError SR-DATA-007 (they die again and again).
        """
        while True:
            place, request = self._sent[0]
            try:
                answer = self._answer_of(place)
            except EOFError:
                self._restart()
                continue
            except BaseException:
                # An answer may be half taken (an interrupt): nothing that is under way can be told apart any more.
                self.close(at_once=True)
                raise
            self._sent.popleft()
            if request is None:
                continue
            self._failures = 0
            if answer[0] == "done":
                return request, answer[1]
            raise raised(answer)

    def discard(self) -> None:
        """Forget what was asked for; its answers are dropped when they come."""
        self._sent = deque((place, None) for place, _ in self._sent)

    def close(self, *, at_once: bool = False) -> None:
        """End the workers. The pool starts again with the next request."""
        self._sent.clear()
        self._end(at_once=at_once)

    def _answer_of(self, place: int) -> tuple[Any, ...]:
        session = self.session or self._start()
        trouble = session.wait_until_ready()
        if trouble is not None:
            raise unreachable(trouble)
        answer: tuple[Any, ...] = wire.receive(session.channels[place])
        return answer

    def _start(self) -> Session:
        session = Session(self._parcel, _setup(self._main), self._num_workers)
        self.session, self._turn = session, 0
        self._ender = weakref.finalize(self, session.end)
        return session

    def _end(self, *, at_once: bool = False) -> None:
        if self.session is None:
            return
        if self._ender is not None:
            self._ender.detach()
        self.session.end(at_once=at_once)
        self.session = self._ender = None

    def _restart(self) -> None:
        words = self.session.last_words() if self.session is not None else []
        self._end(at_once=True)
        self._failures += 1
        if self._failures > RESTARTS:
            raise MissingError(
                "SR-DATA-007",
                f"loader workers died {self._failures} times before one batch was made",
                evidence=[*words, f"the batch: {_named(self._sent[0][1])}"],
                do="look at the memory of this machine (a SIGKILL is usually the kernel's), or use fewer num_workers",
            )
        self.restarts += 1
        if self._on_restart is not None:
            self._on_restart("; ".join(words) or "a loader worker died")
        again = [request for _, request in self._sent if request is not None]
        self._sent.clear()
        for request in again:
            self.submit(request)


def _packed(fetcher: Fetcher) -> wire.Parcel:
    try:
        return wire.Parcel(fetcher)
    except Exception as error:
        raise UsageError(
            "SR-DATA-008",
            "the data set, its transform or its collate function cannot be sent to worker processes",
            evidence=[f"{type(error).__name__}: {error}"],
            do="use functions and classes at module level instead of lambdas and closures, or set num_workers=0",
        ) from error


def _main(parcel: wire.Parcel) -> dict[str, Any]:
    main: dict[str, Any] = spawn.get_preparation_data("samerun-loader")
    del main["authkey"]
    if not parcel.names_main:
        # Nothing of the script is needed, so it is not run a second time.
        main.pop("init_main_from_name", None)
        main.pop("init_main_from_path", None)
    return main


def _setup(main: dict[str, Any]) -> dict[str, Any]:
    imports = [name for name in ("numpy", "torch") if name in sys.modules]
    return {"main": main, "imports": imports, "torch": torch_settings(), "environ": dict(os.environ)}


def _named(request: Request | None) -> str:
    if request is None:
        return "none"
    shown = ", ".join(map(str, request.indices[:8].tolist()))
    more = ", ..." if len(request.indices) > 8 else ""
    return f"items {shown}{more} of epoch {request.epoch}"


def raised(answer: Any) -> Exception:
    """Return the exception that a worker reported (an exception of this process is returned as it is)."""
    if isinstance(answer, Exception):
        return answer
    if answer[0] == "failed":
        return unreachable(answer[1])
    error = answer[1]
    assert isinstance(error, Exception)
    present = getattr(error, "__notes__", ())
    for note in answer[2]:
        if note not in present:
            error.add_note(note)
    return error
