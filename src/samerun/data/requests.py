"""Which items come next: positions in the order of an epoch, and the requests for batches that follow from one.

Pure but for the order, which is drawn from its stream and kept for the epoch at hand and the one before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from samerun.data.fetch import Request
from samerun.data.order import DEFAULT_NAME, ORDER, Ids, epoch_order
from samerun.streams.source import StreamSource


class Position(NamedTuple):
    """Where a loader stands: the epoch, and the source items of it that are consumed."""

    epoch: int = 0
    cursor: int = 0


class Requests:
    """The batches of a data set of n items, epoch after epoch."""

    def __init__(
        self, seed: int, n: int, batch_size: int, *, shuffle: bool, drop_last: bool, name: str = DEFAULT_NAME
    ) -> None:
        self.n = n
        self.batch_size = batch_size
        self.end = n - n % batch_size if drop_last else n
        """The cursor at which an epoch is over."""
        self._source = StreamSource(seed)
        self._shuffle = shuffle
        self._name = name
        self._orders: dict[int, Ids] = {}

    def order(self, epoch: int) -> Ids:
        """Return the order of an epoch."""
        if epoch not in self._orders:
            for old in [known for known in self._orders if known < epoch - 1]:
                del self._orders[old]
            self._orders[epoch] = epoch_order(self._source, epoch, self.n, self._shuffle, self._name)
        return self._orders[epoch]

    def counts(self, position: Position) -> dict[str, int]:
        """Return what the order cost; it belongs to the first batch of its epoch, also when it is drawn again."""
        return {ORDER: self.n} if self._shuffle and position.cursor == 0 else {}

    def stop(self, position: Position) -> int:
        """Return the cursor behind the batch that begins at the position."""
        return min(position.cursor + self.batch_size, self.end)

    def after(self, position: Position) -> Position:
        """Return the position behind the batch that begins at the position; behind the last one begins an epoch."""
        stop = self.stop(position)
        return Position(position.epoch + 1, 0) if stop >= self.end else Position(position.epoch, stop)

    def request(self, position: Position) -> Request:
        """Return the request for the batch that begins at the position."""
        indices = self.order(position.epoch)[position.cursor : self.stop(position)]
        return Request(position.epoch, position.cursor, indices, position.epoch * self.n + position.cursor)

    def batches_left(self, position: Position) -> int:
        """Count the batches left in the epoch; a short last one counts."""
        return -(-(self.end - position.cursor) // self.batch_size)

    def following(self, position: Position) -> Iterator[Request]:
        """Yield the requests from the position on, for ever."""
        while True:
            yield self.request(position)
            position = self.after(position)
