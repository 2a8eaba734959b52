"""Batches for a training loop: endless, resumable at every position, equal bits for any number of workers.

The order is a pure function of ("data/order", epoch), an item's randomness of (epoch, item id): nothing depends on
how the work is scheduled. Where batches come from is in feeds.py (items known beforehand) and assembled.py (filters,
packing, streams).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from samerun.data.draws import Draws
from samerun.data.feeds import Feed
from samerun.data.fetch import Id
from samerun.data.note import BatchNote as BatchNote
from samerun.data.opening import open_feed
from samerun.data.options import Options
from samerun.data.order import DEFAULT_NAME
from samerun.data.packed import Pack as Pack
from samerun.data.requests import Position
from samerun.data.workers import Pool
from samerun.streams.source import StreamSource


@dataclass(frozen=True)
class _Held:
    """A batch that was read to know whether there is one, and where the loader stands as long as nobody took it."""

    note: BatchNote
    position: Position
    state: dict[str, Any]


class Loader:
    """An iterator over batches that goes on for ever, epoch after epoch, and can be put back to any position.

    `dataset` is one of: arrays or tensors (or a tuple or dict of them, or a TensorDataset), which give batches of
    the same form; anything with a length and items; a torch IterableDataset (or any iterable) with state_dict and
    load_state_dict, whose state after an item must mean the next one, and which keeps its own order.
    `transform(item)` changes items, `collate(items)` makes a batch of them (default: torch's). `draws` says what
    they draw from (draws.py); they and the data set may declare it by an attribute instead.
    `item_id` names items (default: their index): what is random about an item follows its name.
    `keep(item)` leaves items out before they are transformed, `pack` cuts items into rows of one length; positions
    still count source items.
    `num_workers` processes make batches ahead of time, `prefetch` each (1 to 32); data set, transform and collate
    must then be importable. Arrays in memory without a transform need none, and use none.
    `name` tells loaders of one run apart: another name has another order and other randomness.
    `on_batch` is told of each batch; `on_restart` of each restart of killed workers.

    Raises UsageError: SR-DATA-001 (no data set), -002 (lengths differ), -003 (draws), -008 (cannot be sent to
    workers), -011 (an option out of range), -012 (no batch in an epoch).
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int,
        *,
        source: StreamSource,
        shuffle: bool = True,
        drop_last: bool = False,
        num_workers: int = 0,
        transform: Callable[..., Any] | None = None,
        collate: Callable[[list[Any]], Any] | None = None,
        draws: Draws | None = None,
        prefetch: int = 2,
        item_id: Callable[[int], Id] | Sequence[Id] | None = None,
        keep: Callable[..., bool] | None = None,
        pack: Pack | None = None,
        name: str = DEFAULT_NAME,
        on_batch: Callable[[BatchNote], None] | None = None,
        on_restart: Callable[[str], None] | None = None,
    ) -> None:
        options = Options(
            batch_size=batch_size,
            shuffle=shuffle,
            drop_last=drop_last,
            num_workers=num_workers,
            transform=transform,
            collate=collate,
            draws=draws,
            prefetch=prefetch,
            item_id=item_id,
            keep=keep,
            pack=pack,
            name=name,
            is_noted=on_batch is not None,
            on_restart=on_restart,
        )
        self.is_saved = False
        """Whether anybody has asked for the position: then it is in a checkpoint, directly or inside something else."""
        self._on_batch = on_batch
        self._held: _Held | None = None
        self._feed: Feed
        self._pool: Pool | None
        self._feed, self._pool = open_feed(dataset, source.seed, options)

    # -- batches -------------------------------------------------------------------------------------------------------

    def __next__(self) -> Any:
        """Return the next batch; a new epoch begins when one is over."""
        while (note := self._take()) is None:
            pass
        if self._on_batch is not None:
            self._on_batch(note)
        return note.batch

    def __iter__(self) -> Iterator[Any]:
        """Yield the rest of the current epoch; the next iterator then begins the next epoch."""
        epoch = self._position.epoch
        while self._position.epoch == epoch:
            note = self._take()
            if note is None:
                return
            if self._on_batch is not None:
                self._on_batch(note)
            yield note.batch

    def _take(self) -> BatchNote | None:
        if self._held is None:
            return self._feed.take()
        held, self._held = self._held, None
        return held.note

    def has_more(self, epoch: int) -> bool:
        """Whether an epoch has a batch that is not yet handed over.

        Where only reading can tell, one batch is read ahead and held: position and state stay before it.
        """
        if self.epoch != epoch or self._held is not None or self._feed.batches_left(self._position) is not None:
            return self.epoch == epoch
        before, state = self._position, self._feed.state()
        note = self._feed.take()
        if note is not None:
            self._held = _Held(note, before, state)
        return note is not None

    def __len__(self) -> int:
        """Return the batches of an epoch. Raises TypeError where only reading can tell (filters, packing, streams)."""
        return self._counted(Position())

    @property
    def batches_left(self) -> int:
        """Batches left in the current epoch. Raises TypeError as `len` does; `has_more` tells in any case."""
        return self._counted(self._position)

    def _counted(self, position: Position) -> int:
        number = self._feed.batches_left(position)
        if number is None:
            raise TypeError("a loader with a filter, packing or a stream does not know its number of batches")
        return number

    # -- position ------------------------------------------------------------------------------------------------------

    @property
    def _position(self) -> Position:
        return self._feed.position if self._held is None else self._held.position

    @property
    def epoch(self) -> int:
        """The epoch that the next batch belongs to."""
        return self._position.epoch

    @property
    def cursor(self) -> int:
        """Source items of this epoch that are consumed."""
        return self._position.cursor

    @property
    def restarts(self) -> int:
        """How often killed workers were started again."""
        return 0 if self._pool is None else self._pool.restarts

    def state_dict(self) -> dict[str, Any]:
        """Return the position: epoch, consumed source items, and what a packed row or a stream needs beside them.

        Nothing in it depends on workers or prefetch: what is read ahead of time is not consumed.
        """
        self.is_saved = True
        return self._feed.state() if self._held is None else dict(self._held.state)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go to a position, before or after the first batch. Raises UsageError SR-DATA-010 for another loader's."""
        self._feed.load(state)
        self._held = None

    def close(self) -> None:
        """End the workers. A further batch starts them again."""
        if self._held is not None:
            self.load_state_dict(self._held.state)
        self._feed.close()
