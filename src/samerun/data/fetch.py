"""From a request (epoch, items) to a batch, the same in whichever process it runs.

An item's randomness is a function of (seed, epoch, item id), a collate function's of the place of its batch. The one
who calls puts the global generators of his process back (foreign.py); workers have none worth keeping.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol, runtime_checkable

import numpy as np

from samerun.data.draws import Plan
from samerun.data.note import digest_batch
from samerun.data.order import DEFAULT_NAME, Ids
from samerun.streams import ambient
from samerun.streams.named import Stream
from samerun.streams.source import StreamSource

ITEM = "data/item/epoch/{epoch}/item/{item}"
RESTORE = "ambient/restore"
LOADER = "ambient/loader/{step}"
Id = int | str


class Mark(Enum):
    """What stands for an item that a filter left out."""

    REJECTED = "rejected"


@dataclass(frozen=True)
class Request:
    """The items of one batch: indices into the data set, and where in the epoch's order they stand."""

    epoch: int
    start: int
    indices: Ids
    place: int
    """Items before it, over all epochs: what a collate function's randomness is named by."""


@dataclass(frozen=True)
class Fetched:
    """A batch, or one entry an item where a filter or packing follows; and what was drawn for it, by template."""

    batch: Any
    counts: dict[str, int]
    digest: str | None = None
    """The batch's digest, where it is wanted and a worker has the time."""


@dataclass(frozen=True)
class Entry:
    """One item on its way through a filter or packing, or what was raised in its place."""

    item: Any
    counts: dict[str, int]
    error: Any = None


@runtime_checkable
class FetchesMany(Protocol):
    """A data set that reads several items at once, as torch's own fetcher asks for."""

    def __getitems__(self, indices: list[int], /) -> Sequence[Any]: ...


class Fetcher:
    """Makes batches of a map-style data set. Travels to workers whole, and is then the same code on the same data."""

    def __init__(
        self,
        dataset: Any,
        plan: Plan,
        seed: int,
        *,
        name: str = DEFAULT_NAME,
        transform: Callable[..., Any] | None = None,
        keep: Callable[..., bool] | None = None,
        collate: Callable[[list[Any]], Any] | None = None,
        ids: Callable[[int], Id] | Sequence[Id] | None = None,
        is_collated: bool = True,
        is_digested: bool = False,
    ) -> None:
        self._dataset = dataset
        self._plan = plan
        self._source = StreamSource(seed)
        self._name = name
        self._transform = transform
        self._keep = keep
        self._collate = collate
        self._ids = ids
        self._is_collated = is_collated
        self._is_digested = is_digested

    @property
    def draws_globally(self) -> bool:
        """Whether any of its foreign code may draw from the global generators."""
        return self._plan.draws_globally

    def id_of(self, index: int) -> Id:
        """Return the id of an item: what its randomness is named by."""
        if self._ids is None:
            return index
        return self._ids(index) if callable(self._ids) else self._ids[index]

    def ids_of(self, indices: Ids) -> Any:
        """Return the ids of items as an array."""
        return indices if self._ids is None else np.array([self.id_of(index) for index in indices.tolist()])

    def fetch(self, request: Request) -> Fetched:
        """Make one batch. What user code raises passes through, with a note that names the item."""
        if not self._is_collated:
            return Fetched(self._entries(request), {})
        self._source.take_counts()
        batch = self.collated(self._items(request), request.place)
        digest = digest_batch(batch, self.ids_of(request.indices)) if self._is_digested else None
        return Fetched(batch, self._source.take_counts(), digest)

    def _items(self, request: Request) -> list[Any]:
        indices: list[int] = request.indices.tolist()
        if self._transform is not None or self._plan.needs_stream:
            return [self.item(request.epoch, index) for index in indices]
        if isinstance(self._dataset, FetchesMany):
            return list(self._dataset.__getitems__(indices))
        items: list[Any] = []
        try:
            for index in indices:
                items.append(self._dataset[index])
        except Exception as error:
            _note(error, self.id_of(indices[len(items)]), request.epoch)
            raise
        return items

    def _entries(self, request: Request) -> list[Entry]:
        entries = []
        for index in request.indices.tolist():
            try:
                entries.append(self.entry(request.epoch, index))
            except Exception as error:  # noqa: BLE001 - raised again where the item is due
                entries.append(Entry(None, {}, error))
                break
        return entries

    def entry(self, epoch: int, index: int) -> Entry:
        """Make one item and say what was drawn for it."""
        self._source.take_counts()
        item = self.item(epoch, index)
        return Entry(item, self._source.take_counts())

    def item(self, epoch: int, index: int) -> Any:
        """Make one item; Mark.REJECTED when the filter leaves it out."""
        item_id = self.id_of(index)
        stream = self._begin(epoch, item_id)
        try:
            is_handed = self._plan.dataset == "stream"
            item = self._dataset.__getitem__(index, stream) if is_handed else self._dataset[index]
            return self._changed(item, stream)
        except Exception as error:
            _note(error, item_id, epoch)
            raise

    def next_entry(self, iterator: Iterator[Any], epoch: int, position: int) -> Entry:
        """Make the next item of a stream, named by its position. StopIteration passes through."""
        self._source.take_counts()
        stream = self._begin(epoch, position)
        try:
            item = self._changed(next(iterator), stream)
        except StopIteration:
            raise
        except Exception as error:
            _note(error, position, epoch)
            raise
        return Entry(item, self._source.take_counts())

    def _begin(self, epoch: int, item_id: Id) -> Stream | None:
        plan = self._plan
        if not plan.needs_stream:
            return None
        stream = self._stream_of(epoch, item_id)
        if plan.sets_globals:
            # A stream of its own where both kinds are drawn, so that they share no number.
            ambient.set_globals(stream.child("global") if plan.hands_stream else stream)
        return stream

    def restore_stream(self) -> Stream:
        """Open the stream that iterators are made under."""
        return self._source.open(RESTORE)

    def _stream_of(self, epoch: int, item_id: Id) -> Stream:
        stream = self._source.open(ITEM, epoch=epoch, item=item_id)
        return stream if self._name == DEFAULT_NAME else stream.child("loader", self._name)

    def _changed(self, item: Any, stream: Stream | None) -> Any:
        if self._keep is not None:
            is_kept = self._keep(item, stream) if self._plan.keep == "stream" else self._keep(item)
            if not is_kept:
                return Mark.REJECTED
        if self._transform is None:
            return item
        return self._transform(item, stream) if self._plan.transform == "stream" else self._transform(item)

    def collated(self, items: list[Any], place: int) -> Any:
        """Collate items that were made one by one; `place` as in a request."""
        if self._collate is not None and self._plan.collate == "global":
            ambient.set_globals(self._source.open(LOADER, step=place))
        return default_collate(items) if self._collate is None else self._collate(items)


def _note(error: Exception, item_id: Id, epoch: int) -> None:
    error.add_note(f"while loading item {item_id!r} of epoch {epoch}")


def default_collate(items: list[Any]) -> Any:
    """Stack items into a batch as torch does. Needs torch."""
    from torch.utils.data import default_collate as collate

    return collate(items)
