"""Items one by one, for filters, packing and streams: from a map-style data set in an epoch's order, or from a stream.

A mark is a place that `seek` finds again: what comes after it has not been consumed, however far was read ahead.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from samerun.data.fetch import Entry, Fetcher, Id, Request
from samerun.data.requests import Position, Requests
from samerun.data.state import check_state, refused, whole_number
from samerun.data.workers import Pool, raised
from samerun.errors import UsageError
from samerun.streams import ambient


@dataclass(frozen=True)
class Place:
    """A mark: the position, items before it over all epochs, and a stream's own state."""

    position: Position
    before: int
    source: Any = None


class Items(Protocol):
    """A source of items with marks."""

    can_return: bool
    """Whether a mark costs nothing, so that one is kept for the case of an error."""

    @property
    def position(self) -> Position:
        """Where the next item stands."""

    @property
    def before(self) -> int:
        """Items before the next one, over all epochs."""

    @property
    def place(self) -> Place:
        """The mark of the next item."""

    def take(self) -> tuple[Id, Entry] | None:
        """Return the next item and its id; None at the end of an epoch, behind which the next one begins."""

    def seek(self, place: Place) -> None:
        """Go to a mark."""

    def break_off(self) -> None:
        """Note that items were lost by an error: nothing is read before the next `seek`."""

    def turn(self) -> None:
        """Begin the next epoch at once if this one is known to be over."""

    def order_counts(self, position: Position) -> dict[str, int]:
        """Return what the order of the epoch cost, at its first item."""

    def state(self, place: Place) -> dict[str, Any]:
        """Return a mark as plain values."""

    def parse(self, state: Mapping[str, Any]) -> Place:
        """Return the mark of plain values. Raises UsageError SR-DATA-010."""

    def close(self) -> None:
        """End what runs for it."""


class MapItems:
    """Items of a map-style data set, made here one by one or by workers in chunks ahead of time."""

    def __init__(self, fetcher: Fetcher, requests: Requests, pool: Pool | None, window: int) -> None:
        self._fetcher = fetcher
        self._requests = requests
        self._pool = pool
        self._window = window
        self.can_return = True
        self.position = Position()
        self._ready: deque[tuple[int, Entry]] = deque()
        self._following: Iterator[Request] | None = None

    @property
    def before(self) -> int:
        """Items before the next one, over all epochs."""
        return self.position.epoch * self._requests.n + self.position.cursor

    @property
    def place(self) -> Place:
        """The mark of the next item."""
        return Place(self.position, self.before)

    def take(self) -> tuple[Id, Entry] | None:
        """Return the next item; what user code raised for it is raised here."""
        epoch, cursor = self.position.epoch, self.position.cursor
        if cursor >= self._requests.n:
            self.position = Position(epoch + 1, 0)
            return None
        index = int(self._requests.order(epoch)[cursor])
        entry = self._fetcher.entry(epoch, index) if self._pool is None else self._from_workers(self._pool)
        if entry.error is not None:
            raise raised(entry.error)
        self.position = Position(epoch, cursor + 1)
        return self._fetcher.id_of(index), entry

    def _from_workers(self, pool: Pool) -> Entry:
        while True:
            if not self._ready:
                self._read_chunk(pool)
            before, entry = self._ready.popleft()
            if before == self.before:
                return entry
            # An interrupt came between an item and the position behind it: it is made again.
            self.seek(self.place)

    def _read_chunk(self, pool: Pool) -> None:
        try:
            if self._following is None:
                self._following = self._requests.following(self.position)
            while pool.num_waiting < self._window:
                pool.submit(next(self._following))
            request, fetched = pool.receive()
        except BaseException:
            self.seek(self.place)
            raise
        self._ready.extend(enumerate(fetched.batch, request.place))

    def seek(self, place: Place) -> None:
        """Go to a mark; what workers made ahead of time is dropped."""
        self.position = place.position
        self._following = None
        self._ready.clear()
        if self._pool is not None:
            self._pool.discard()

    def break_off(self) -> None:
        """Not asked for: marks cost nothing here."""

    def turn(self) -> None:
        """Begin the next epoch when all items of this one are consumed."""
        if self.position.cursor >= self._requests.n:
            self.position = Position(self.position.epoch + 1, 0)

    def order_counts(self, position: Position) -> dict[str, int]:
        """Return what the order of the epoch cost, at its first item."""
        return self._requests.counts(position)

    def state(self, place: Place) -> dict[str, Any]:
        """Return epoch, cursor, and the number of items."""
        return {"epoch": place.position.epoch, "cursor": place.position.cursor, "items": self._requests.n}

    def parse(self, state: Mapping[str, Any]) -> Place:
        """Return the mark of a state."""
        check_state(state, ("epoch", "cursor", "items"))
        epoch, cursor, items = (whole_number(state, name) for name in ("epoch", "cursor", "items"))
        if items != self._requests.n or cursor > items:
            raise refused(
                "the position of a loader is not one of this data set",
                f"stored: item {cursor} of {items}",
                f"here: {self._requests.n} items",
            )
        return Place(Position(epoch, cursor), epoch * items + cursor)

    def close(self) -> None:
        """End the workers."""
        self._following = None
        self._ready.clear()
        if self._pool is not None:
            self._pool.close()


@runtime_checkable
class KnowsEpoch(Protocol):
    """A stream that wants to be told the epoch before it is iterated."""

    def set_epoch(self, epoch: int, /) -> Any: ...


class StreamItems:
    """Items of a stream that keeps its own order and its own state. Read without lookahead: nothing can be lost."""

    def __init__(self, dataset: Any, fetcher: Fetcher) -> None:
        self._dataset = dataset
        self._fetcher = fetcher
        self.can_return = False
        self.position = Position()
        self.before = 0
        self._is_broken = False
        self._iterator: Iterator[Any] | None = None
        self._is_fresh = True

    @property
    def place(self) -> Place:
        """The mark of the next item, with the stream's own state as it is now."""
        return Place(self.position, self.before, copy.deepcopy(self._dataset.state_dict()))

    def take(self) -> tuple[Id, Entry] | None:
        """Return the next item; its id is its position in the epoch. Raises UsageError SR-DATA-014 after an error."""
        if self._is_broken:
            raise UsageError(
                "SR-DATA-014",
                "a stream cannot go on behind an error: items were read and not handed over",
                evidence=[f"the batch behind item {self.position.cursor} of epoch {self.position.epoch} failed"],
                do="load a state into the loader (a resume does), then go on",
            )
        epoch, cursor = self.position.epoch, self.position.cursor
        iterator = self._iterator or self._open(epoch)
        try:
            entry = self._fetcher.next_entry(iterator, epoch, cursor)
        except StopIteration:
            return self._end_epoch(epoch, cursor)
        self._is_fresh = False
        self.position = Position(epoch, cursor + 1)
        self.before += 1
        return cursor, entry

    def _open(self, epoch: int) -> Iterator[Any]:
        with ambient.scope(self._fetcher.restore_stream()):
            if isinstance(self._dataset, KnowsEpoch):
                self._dataset.set_epoch(epoch)
            self._iterator = iter(self._dataset)
        return self._iterator

    def _end_epoch(self, epoch: int, cursor: int) -> tuple[Id, Entry] | None:
        self._iterator = None
        if cursor > 0:
            self.position, self._is_fresh = Position(epoch + 1, 0), True
            return None
        if not self._is_fresh:
            raise UsageError(
                "SR-DATA-009",
                f"a stream gave no item in epoch {epoch}",
                evidence=[f"{type(self._dataset).__name__} was iterated twice from its present state"],
                do="let its __iter__ begin anew when it was exhausted, or give it items",
            )
        # A restored state at the end of a pass gives nothing once: this is the end that was already counted.
        self._is_fresh = False
        return self.take()

    def seek(self, place: Place) -> None:
        """Go to a mark: the stream loads its state, and a new iterator goes on from it."""
        self._dataset.load_state_dict(copy.deepcopy(place.source))
        self.position, self.before = place.position, place.before
        self._iterator, self._is_fresh, self._is_broken = None, True, False

    def break_off(self) -> None:
        """Note that items were lost by an error."""
        self._is_broken = True

    def turn(self) -> None:
        """Only reading on can tell whether a stream is over."""

    def order_counts(self, position: Position) -> dict[str, int]:
        """A stream's order is its own."""
        return {}

    def state(self, place: Place) -> dict[str, Any]:
        """Return epoch, cursor, items before, and the stream's own state."""
        return {
            "epoch": place.position.epoch,
            "cursor": place.position.cursor,
            "before": place.before,
            "source": place.source,
        }

    def parse(self, state: Mapping[str, Any]) -> Place:
        """Return the mark of a state."""
        check_state(state, ("epoch", "cursor", "before", "source"))
        epoch, cursor, before = (whole_number(state, name) for name in ("epoch", "cursor", "before"))
        return Place(Position(epoch, cursor), before, state["source"])

    def close(self) -> None:
        """Nothing runs beside the stream itself."""
