"""From a data set and options to the feed that serves them."""

from __future__ import annotations

from typing import Any

from samerun.data.assembled import Assembled
from samerun.data.draws import plan_of
from samerun.data.feeds import Columns, Feed, Indexed
from samerun.data.fetch import Fetcher
from samerun.data.inmemory import InMemory
from samerun.data.items import MapItems, StreamItems
from samerun.data.kinds import kind_of
from samerun.data.options import Options
from samerun.data.requests import Requests
from samerun.data.workers import Pool
from samerun.errors import UsageError


def open_feed(dataset: Any, seed: int, options: Options) -> tuple[Feed, Pool | None]:
    """Return the feed for a data set, and the pool of workers where it has one. Errors are those of `Loader`."""
    kind = kind_of(dataset)
    data = InMemory(dataset) if kind == "arrays" else dataset
    plan = plan_of(data, options.transform, options.collate, options.draws, options.keep)
    fetcher = Fetcher(
        data,
        plan,
        seed,
        name=options.name,
        transform=options.transform,
        keep=options.keep,
        collate=options.collate,
        ids=options.item_id,
        is_collated=not options.is_assembled,
        is_digested=options.is_noted and options.num_workers > 0,
    )
    if kind == "stream":
        options.check_for_stream(plan.dataset == "stream")
        return _assembled(StreamItems(data, fetcher), fetcher, options), None
    requests = _requests(len(data), seed, options)
    if kind == "arrays" and not options.is_assembled and options.transform is None and options.collate is None:
        return Columns(data, requests, fetcher), None
    pool = Pool(fetcher, options.num_workers, options.on_restart) if options.num_workers else None
    window = options.num_workers * options.prefetch
    if options.is_assembled:
        return _assembled(MapItems(fetcher, requests, pool, window), fetcher, options), pool
    return Indexed(fetcher, requests, pool, window), pool


def _assembled(items: MapItems | StreamItems, fetcher: Fetcher, options: Options) -> Assembled:
    return Assembled(items, fetcher, options.batch_size, drop_last=options.drop_last, pack=options.pack)


def _requests(n: int, seed: int, options: Options) -> Requests:
    # Where the items of a batch are only known by reading them, a request is a chunk: none may be dropped.
    drops = options.drop_last and not options.is_assembled
    made = Requests(seed, n, options.batch_size, shuffle=options.shuffle, drop_last=drops, name=options.name)
    if made.end:
        return made
    raise UsageError(
        "SR-DATA-012",
        "an epoch of this loader has no batch",
        evidence=[f"items: {n}", f"batch_size: {options.batch_size}", "drop_last drops the only, short one"]
        if n
        else ["the data set is empty"],
        do="give more items, a smaller batch_size, or drop_last=False",
    )
