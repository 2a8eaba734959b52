"""Batches a second: the in-memory loader and the one with workers, against torch's DataLoader on the same data.

Nothing draws at random for an item here (`draws: none`), except where a row says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from measure import Figure, human, in_turns

from samerun.data.draws import Draws
from samerun.data.loader import Loader
from samerun.streams.stream import Stream, StreamSource

ITEMS, FEATURES, BATCH = 4096, 64, 64


def figures() -> list[Figure]:
    return [_in_memory(), _mapped(0, "none"), _mapped(2, "none"), _mapped(0, "stream"), _mapped(0, "global")]


def _tensors() -> tuple[torch.Tensor, torch.Tensor]:
    values = torch.arange(ITEMS * FEATURES, dtype=torch.float32).reshape(ITEMS, FEATURES)
    return values, torch.arange(ITEMS)


def _epoch(batches: Iterator[object]) -> None:
    for _ in batches:
        pass


def _in_memory() -> Figure:
    items = _tensors()
    ours = Loader(items, BATCH, source=StreamSource(7))
    theirs = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(*items), BATCH, shuffle=True)
    pair = in_turns(lambda: _epoch(iter(ours)), lambda: _epoch(iter(theirs)))
    speed = 1 / pair.ratio
    return Figure(
        "in-memory tensors, batches of 64 (speed, theirs / ours in time)",
        human(pair.ours / (ITEMS // BATCH)),
        f"{human(pair.theirs / (ITEMS // BATCH))} (torch DataLoader)",
        speed,
        ">= 10",
        speed >= 10,
        "a batch; no transform (`draws: none`)",
    )


class Squares(torch.utils.data.Dataset[torch.Tensor]):
    """A map-style data set whose items cost a little."""

    def __len__(self) -> int:
        return ITEMS

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.full((FEATURES,), float(index)) ** 2


def with_stream(item: torch.Tensor, stream: Stream) -> torch.Tensor:
    return item * stream.uniform()


def with_globals(item: torch.Tensor) -> torch.Tensor:
    return item * torch.rand(())


TRANSFORMS: dict[Draws, Callable[..., torch.Tensor] | None] = {
    "none": None,
    "stream": with_stream,
    "global": with_globals,
}


def _mapped(workers: int, draws: Draws) -> Figure:
    data = Squares()
    source = StreamSource(7)
    ours = Loader(data, BATCH, source=source, num_workers=workers, transform=TRANSFORMS[draws], draws=draws)
    keep = workers > 0
    theirs = torch.utils.data.DataLoader(data, BATCH, shuffle=True, num_workers=workers, persistent_workers=keep)
    pair = in_turns(lambda: _epoch(iter(ours)), lambda: _epoch(iter(theirs)), rounds=9)
    ours.close()
    words = f"{workers} workers" if workers else "no workers"
    return Figure(
        f"map-style data set, {words}, `draws: {draws}`",
        human(pair.ours / (ITEMS // BATCH)),
        f"{human(pair.theirs / (ITEMS // BATCH))} (torch DataLoader, no randomness)",
        pair.ratio,
        "<= 1" if draws == "none" and workers else "for information",
        pair.ratio <= 1.0 or draws != "none" or not workers,
        "a batch of 64 items" + ("; persistent workers on both sides" if workers else ""),
    )
