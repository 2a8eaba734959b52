"""Batches for a training loop: endless, resumable at every position, equal bits for any number of workers.

The order is a pure function of ("data/order", epoch), an item's randomness of (epoch, item id): nothing depends on
how the work is scheduled. Where batches come from is in feeds.py (items known beforehand) and assembled.py (filters,
packing, streams).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from samerun.data.assembled import Assembled
from samerun.data.draws import Draws, plan_of
from samerun.data.feeds import Columns, Feed, Indexed
from samerun.data.fetch import Fetcher, Id
from samerun.data.inmemory import InMemory, is_arrays
from samerun.data.items import MapItems, StreamItems
from samerun.data.kinds import kind_of
from samerun.data.note import BatchNote
from samerun.data.order import DEFAULT_NAME
from samerun.data.packed import Pack
from samerun.data.requests import Position, Requests
from samerun.data.workers import Pool
from samerun.errors import UsageError
from samerun.streams.source import StreamSource

__all__ = ["BatchNote", "Loader", "Pack"]

MAX_PREFETCH = 32


class Loader:
    """An iterator over batches that goes on for ever, epoch after epoch, and can be put back to any position."""

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
        """Make a loader.

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
        _check_options(batch_size, num_workers, prefetch)
        kind = kind_of(dataset)
        data = InMemory(dataset) if is_arrays(dataset) else dataset
        fetcher = Fetcher(
            data,
            plan_of(data, transform, collate, draws, keep),
            source.seed,
            name=name,
            transform=transform,
            keep=keep,
            collate=collate,
            ids=item_id,
            is_collated=keep is None and pack is None,
        )
        self._on_batch = on_batch
        self._pool: Pool | None = None
        is_assembled = kind == "stream" or keep is not None or pack is not None
        self._feed: Feed
        if kind == "stream":
            _check_stream(num_workers, item_id)
            self._feed = Assembled(StreamItems(data, fetcher), fetcher, batch_size, drop_last=drop_last, pack=pack)
            return
        requests = Requests(
            source.seed,
            len(data),
            batch_size,
            shuffle=shuffle,
            drop_last=drop_last and not is_assembled,
            name=name,
        )
        _check_length(requests)
        if kind == "arrays" and not is_assembled and transform is None and collate is None:
            self._feed = Columns(data, requests, fetcher)
            return
        self._pool = Pool(fetcher, num_workers, on_restart) if num_workers else None
        window = num_workers * prefetch
        if is_assembled:
            items = MapItems(fetcher, requests, self._pool, window)
            self._feed = Assembled(items, fetcher, batch_size, drop_last=drop_last, pack=pack)
        else:
            self._feed = Indexed(fetcher, requests, self._pool, window)

    # -- batches -------------------------------------------------------------------------------------------------------

    def __next__(self) -> Any:
        """Return the next batch; a new epoch begins when one is over."""
        while (note := self._feed.take()) is None:
            pass
        if self._on_batch is not None:
            self._on_batch(note)
        return note.batch

    def __iter__(self) -> Iterator[Any]:
        """Yield the rest of the current epoch; the next iterator then begins the next epoch."""
        epoch = self.epoch
        while self.epoch == epoch:
            note = self._feed.take()
            if note is None:
                return
            if self._on_batch is not None:
                self._on_batch(note)
            yield note.batch

    def __len__(self) -> int:
        """Return the batches of an epoch. Raises TypeError where only reading can tell (filters, packing, streams)."""
        return self._counted(Position())

    @property
    def batches_left(self) -> int:
        """Batches left in the current epoch. Raises TypeError as `len` does."""
        return self._counted(self._feed.position)

    def _counted(self, position: Position) -> int:
        number = self._feed.batches_left(position)
        if number is None:
            raise TypeError("a loader with a filter, packing or a stream does not know its number of batches")
        return number

    # -- position ------------------------------------------------------------------------------------------------------

    @property
    def epoch(self) -> int:
        """The epoch that the next batch belongs to."""
        return self._feed.position.epoch

    @property
    def cursor(self) -> int:
        """Source items of this epoch that are consumed."""
        return self._feed.position.cursor

    @property
    def restarts(self) -> int:
        """How often killed workers were started again."""
        return 0 if self._pool is None else self._pool.restarts

    def state_dict(self) -> dict[str, Any]:
        """Return the position: epoch, consumed source items, and what a packed row or a stream needs beside them.

        Nothing in it depends on workers or prefetch: what is read ahead of time is not consumed.
        """
        return self._feed.state()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go to a position, before or after the first batch. Raises UsageError SR-DATA-010 for another loader's."""
        self._feed.load(state)

    def close(self) -> None:
        """End the workers. A further batch starts them again."""
        self._feed.close()


def _check_options(batch_size: int, num_workers: int, prefetch: int) -> None:
    limits: list[tuple[str, object, int, int | None]] = [
        ("batch_size", batch_size, 1, None),
        ("num_workers", num_workers, 0, None),
        ("prefetch", prefetch, 1, MAX_PREFETCH),
    ]
    wrong = [
        f"{name}: {value!r}, wanted: an integer of at least {low}{f', at most {high}' if high else ''}"
        for name, value, low, high in limits
        if isinstance(value, bool) or not isinstance(value, int) or value < low or (high and value > high)
    ]
    if wrong:
        raise UsageError("SR-DATA-011", "a loader's option is out of range", evidence=wrong, do="correct the option")


def _check_stream(num_workers: int, item_id: object) -> None:
    wrong = [name for name, is_set in (("num_workers", num_workers > 0), ("item_id", item_id is not None)) if is_set]
    if wrong:
        raise UsageError(
            "SR-DATA-011",
            "an option of this loader does not go with a stream",
            evidence=[f"given: {', '.join(wrong)}", "a stream is read in one process, its items are named by position"],
            do="leave the option out, or give a data set with a length and items",
        )


def _check_length(requests: Requests) -> None:
    if requests.end:
        return
    raise UsageError(
        "SR-DATA-012",
        "an epoch of this loader has no batch",
        evidence=[f"items: {requests.n}", f"batch_size: {requests.batch_size}", "drop_last drops the only, short one"]
        if requests.n
        else ["the data set is empty"],
        do="give more items, a smaller batch_size, or drop_last=False",
    )
