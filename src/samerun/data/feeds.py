"""Where a loader's batches come from: columns in memory, or items of a map-style data set, here or in workers.

A feed owns its position and moves it only when a batch is complete, so that a failed one is asked for again. Filters,
packing and streams are in assembled.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from samerun.data.fetch import Fetched, Fetcher, Request
from samerun.data.foreign import foreign
from samerun.data.inmemory import InMemory
from samerun.data.note import BatchNote
from samerun.data.order import Ids
from samerun.data.requests import Position, Requests
from samerun.data.state import check_state, refused, whole_number
from samerun.data.workers import Pool

_NOTHING: Mapping[str, int] = {}


class Feed(Protocol):
    """A source of batches with a position."""

    @property
    def position(self) -> Position:
        """Where it stands."""

    def take(self) -> BatchNote | None:
        """Return the next batch; None when the epoch ended without one more, and a new one begins."""

    def batches_left(self, position: Position) -> int | None:
        """Count the batches from the position to the end of its epoch; None where nobody can know."""

    def state(self) -> dict[str, Any]:
        """Return the position as plain values."""

    def load(self, state: Mapping[str, Any]) -> None:
        """Go to a position that `state` returned."""

    def close(self) -> None:
        """End what runs for it."""


class _Counted:
    """A feed over n items whose batches are known beforehand."""

    def __init__(self, requests: Requests) -> None:
        self.requests = requests
        self.position = Position()

    def batches_left(self, position: Position) -> int | None:
        """Count the batches from the position to the end of its epoch."""
        return self.requests.batches_left(position)

    def state(self) -> dict[str, Any]:
        """Return epoch, cursor, and the number of items, against which a restored state is checked."""
        return {"epoch": self.position.epoch, "cursor": self.position.cursor, "items": self.requests.n}

    def load(self, state: Mapping[str, Any]) -> None:
        """Go to a position. Raises UsageError SR-DATA-010 when it is none of this data set's."""
        check_state(state, ("epoch", "cursor", "items"))
        items, cursor = whole_number(state, "items"), whole_number(state, "cursor")
        if items != self.requests.n or cursor >= max(self.requests.end, 1):
            raise refused(
                "the position of a loader is not one of this data set",
                f"stored: item {cursor} of {items}",
                f"here: {self.requests.n} items",
            )
        self.seek(Position(whole_number(state, "epoch"), cursor))

    def seek(self, position: Position) -> None:
        """Go to a position."""
        self.position = position

    def close(self) -> None:
        """Nothing runs."""


class Columns(_Counted):
    """Batches of arrays in memory."""

    def __init__(self, data: InMemory, requests: Requests, fetcher: Fetcher) -> None:
        super().__init__(requests)
        self._data = data
        self._ids_of = fetcher.ids_of
        self._prepared = -1
        self._read: Callable[[int, int], Any] = lambda start, stop: None
        self._order: Ids = np.empty(0, np.int64)

    def take(self) -> BatchNote | None:
        """Return the next batch."""
        (epoch, start), requests = self.position, self.requests
        if epoch != self._prepared:
            self._order = requests.order(epoch)
            self._read, self._prepared = self._data.reader(self._order), epoch
        stop = start + requests.batch_size
        after = Position(epoch, stop)
        if stop >= requests.end:
            stop, after = requests.end, Position(epoch + 1, 0)
        batch = self._read(start, stop)
        counts = _NOTHING if start else requests.counts(self.position)
        self.position = after
        return BatchNote(epoch, self._ids_of(self._order[start:stop]), batch, counts, True)


class Indexed(_Counted):
    """Batches of a map-style data set, made here or by workers ahead of time."""

    def __init__(self, fetcher: Fetcher, requests: Requests, pool: Pool | None, window: int) -> None:
        super().__init__(requests)
        self._fetcher = fetcher
        self._pool = pool
        self._window = window
        self._following: Iterator[Request] | None = None

    def take(self) -> BatchNote | None:
        """Return the next batch. What user code raises passes through; the position is then as before."""
        at = self.position
        request = self.requests.request(at)
        fetched = self._fetch(request)
        self.position = self.requests.after(at)
        ids = self._fetcher.ids_of(request.indices)
        counts = fetched.counts | self.requests.counts(at)
        return BatchNote(at.epoch, ids, fetched.batch, counts, known_digest=fetched.digest)

    def _fetch(self, request: Request) -> Fetched:
        if self._pool is None:
            with foreign(self._fetcher.draws_globally, "the data set or its transform"):
                return self._fetcher.fetch(request)
        try:
            return self._fetch_from(self._pool, request)
        except BaseException:
            self.seek(self.position)
            raise

    def _fetch_from(self, pool: Pool, request: Request) -> Fetched:
        while True:
            if self._following is None:
                self._following = self.requests.following(self.position)
            while pool.num_waiting < self._window:
                pool.submit(next(self._following))
            asked, fetched = pool.receive()
            if asked.place == request.place:
                return fetched
            # An interrupt came between a batch and the position behind it: that batch is made again.
            self.seek(self.position)

    def seek(self, position: Position) -> None:
        """Go to a position; what workers made ahead of time is dropped."""
        self.position = position
        self._following = None
        if self._pool is not None:
            self._pool.discard()

    def close(self) -> None:
        """End the workers; the next batch starts them again."""
        self._following = None
        if self._pool is not None:
            self._pool.close()
