"""Batches whose items are only known by reading them: filtered, packed, or from a stream.

A batch takes what it needs from the items and nothing more; on an error the items are put back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from samerun.data.fetch import Fetcher, Id, Mark
from samerun.data.foreign import foreign
from samerun.data.items import Items, Place
from samerun.data.note import BatchNote
from samerun.data.packed import Carry, Pack
from samerun.data.requests import Position
from samerun.data.state import whole_number
from samerun.errors import UsageError


class Assembled:
    """A feed over items one by one."""

    def __init__(self, items: Items, fetcher: Fetcher, batch_size: int, *, drop_last: bool, pack: Pack | None) -> None:
        self._items = items
        self._fetcher = fetcher
        self._batch_size = batch_size
        self._drop_last = drop_last
        self._carry = None if pack is None else Carry(pack)
        self._skip = 0
        self._is_epoch_empty = False
        self._empty_epochs = 0

    # -- position ------------------------------------------------------------------------------------------------------

    @property
    def position(self) -> Position:
        """The first source item that is not wholly consumed."""
        if self._carry is not None and self._carry.pieces:
            position: Position = self._carry.pieces[0].place.position
            return position
        return self._items.position

    def _first(self) -> Place:
        if self._carry is not None and self._carry.pieces:
            place: Place = self._carry.pieces[0].place
            return place
        return self._items.place

    def _used(self) -> int:
        return self._carry.pieces[0].used if self._carry is not None and self._carry.pieces else self._skip

    def batches_left(self, position: Position) -> int | None:
        """Only reading can tell."""
        return None

    def state(self) -> dict[str, Any]:
        """Return the position; for packing also how much of its item is consumed."""
        state = self._items.state(self._first())
        return state if self._carry is None else {**state, "offset": self._used()}

    def load(self, state: Mapping[str, Any]) -> None:
        """Go to a position. Raises UsageError SR-DATA-010."""
        rest = dict(state)
        offset = 0
        if self._carry is not None and "offset" in rest:
            offset = whole_number(rest, "offset")
            del rest["offset"]
        self._go(self._items.parse(rest), offset)

    def _go(self, place: Place, offset: int) -> None:
        self._items.seek(place)
        self._skip = offset
        if self._carry is not None:
            self._carry.clear()

    def close(self) -> None:
        """End what runs for the items; the position stays."""
        place, offset = self._first(), self._used()
        self._items.close()
        self._go(place, offset)

    # -- batches -------------------------------------------------------------------------------------------------------

    def take(self) -> BatchNote | None:
        """Return the next batch, None at the end of an epoch. Raises UsageError SR-DATA-009 when there is none ever."""
        epoch, offset = self.position.epoch, self._used()
        place = self._first() if self._items.can_return else None
        try:
            with foreign(self._fetcher.draws_globally, "the data set, its transform or its collate function"):
                note = self._gathered() if self._carry is None else self._packed(self._carry)
        except BaseException:
            if place is None:
                self._items.break_off()
            else:
                self._go(place, offset)
            raise
        if note is None:
            self._note_end(epoch)
        else:
            self._is_epoch_empty, self._empty_epochs = False, 0
        return note

    def _note_end(self, epoch: int) -> None:
        self._empty_epochs += self._is_epoch_empty
        self._is_epoch_empty = True
        if self._empty_epochs > 1:
            raise UsageError(
                "SR-DATA-009",
                "two whole epochs of this loader gave no batch",
                evidence=[f"batch_size: {self._batch_size}, drop_last: {self._drop_last}", f"epoch: {epoch}"],
                do="check the filter, the length of rows, and batch_size",
            )

    def _gathered(self) -> BatchNote | None:
        begin, before = self._items.position, self._items.before
        kept: list[Any] = []
        ids: list[Id] = []
        counts = self._counts(begin)
        while len(kept) < self._batch_size:
            taken = self._items.take()
            if taken is None:
                break
            counts.update(taken[1].counts)
            if taken[1].item is not Mark.REJECTED:
                ids.append(taken[0])
                kept.append(taken[1].item)
        is_short = len(kept) < self._batch_size
        if not kept or (is_short and self._drop_last):
            return None
        batch = self._fetcher.collated(kept, before)
        if not is_short:
            self._items.turn()
        return BatchNote(begin.epoch, np.array(ids), batch, dict(counts))

    def _packed(self, carry: Carry) -> BatchNote | None:
        begin, needed = self.position, self._batch_size * carry.pack.length
        counts = self._counts(begin) if self._used() == 0 else Counter[str]()
        rows = self._batch_size
        while carry.held < needed:
            place = self._items.place
            taken = self._items.take()
            if taken is None:
                rows = self._last_rows(carry)
                break
            item_id, entry = taken
            if not self._skip:
                counts.update(entry.counts)
            if entry.item is not Mark.REJECTED:
                carry.add(place, item_id, entry.item, self._skip)
            self._skip = 0
        if not rows:
            carry.clear()
            return None
        batch, ids = carry.rows(rows)
        if rows < self._batch_size:
            carry.clear()
        elif not carry.pieces:
            self._items.turn()
        return BatchNote(begin.epoch, np.array(ids), batch, dict(counts))

    def _last_rows(self, carry: Carry) -> int:
        """Count the rows of the short batch that ends an epoch."""
        if self._drop_last:
            return 0
        whole, rest = divmod(carry.held, carry.pack.length)
        return whole + 1 if rest and carry.pack.pad is not None else whole

    def _counts(self, position: Position) -> Counter[str]:
        return Counter(self._items.order_counts(position) if position.cursor == 0 else {})
