"""Data sets, transforms and collate functions that tests of the loader send to workers."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.data import Dataset, IterableDataset

from samerun.data.loader import BatchNote, Loader
from samerun.streams.source import StreamSource

PLAIN: dict[str, Any] = {
    "batch_size": 4,
    "shuffle": True,
    "drop_last": False,
    "num_workers": 0,
    "transform": None,
    "collate": None,
    "draws": None,
    "prefetch": 2,
    "item_id": None,
    "keep": None,
    "pack": None,
    "name": "data",
    "is_noted": False,
    "on_restart": None,
}
"""Options of a loader that asks for nothing special."""


def loader(dataset: Any, batch_size: int, seed: int = 7, **options: Any) -> Loader:
    return Loader(dataset, batch_size, source=StreamSource(seed), **options)


def recorded(made: list[Loader], dataset: Any, batch_size: int, number: int, **options: Any) -> list[tuple[Any, ...]]:
    """Every fact of the first `number` batches: epoch, ids, digest, counts, and the state after it."""
    rows: list[tuple[Any, ...]] = []

    def note(batch: BatchNote) -> None:
        rows.append((batch.epoch, batch.ids.tolist(), batch.digest, dict(batch.counts)))

    batches = loader(dataset, batch_size, on_batch=note, **options)
    made.append(batches)
    states = []
    for _ in range(number):
        next(batches)
        states.append(batches.state_dict())
    return [(*row, state) for row, state in zip(rows, states, strict=True)]


class Unknown(Dataset[Any]):
    """Declares nothing, draws from every global generator."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, index: int) -> Any:
        return index, random.random(), float(np.random.rand()), torch.rand(3)


class Quiet:
    """Draws nothing."""

    draws = "none"

    def __init__(self, n: int) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, index: int) -> Any:
        if index >= self.n:
            raise IndexError(index)
        return torch.full((4,), float(index)), index


class Failing(Quiet):
    """Raises for one item."""

    def __getitem__(self, index: int) -> Any:
        if index == 5:
            raise KeyError("five is broken")
        return super().__getitem__(index)


class Unportable(Exception):
    """Cannot be rebuilt from its arguments."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(f"{first} and {second}")


class FailingOddly(Quiet):
    def __getitem__(self, index: int) -> Any:
        if index == 5:
            raise Unportable(1, 2)
        return super().__getitem__(index)


class Suicidal(Quiet):
    """Kills the process that loads one item; once only where a file says so."""

    def __init__(self, n: int, once: Path | None = None) -> None:
        super().__init__(n)
        self.once = once

    def __getitem__(self, index: int) -> Any:
        if index == 5 and (self.once is None or not self.once.exists()):
            if self.once is not None:
                self.once.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__getitem__(index)


class Lying(Quiet):
    """Says that it draws nothing, and draws."""

    def __getitem__(self, index: int) -> Any:
        return super().__getitem__(index)[1] + random.random()


class Sums(Quiet):
    """What it computes depends on the number of threads, and on the default dtype."""

    def __getitem__(self, index: int) -> Any:
        numbers = torch.linspace(0, 1 + index, 200_001)
        array = np.linspace(0, 1 + index, 250_000, dtype=np.float32).reshape(500, 500)
        return numbers.sum(), torch.from_numpy(array @ array)[0]


class Pids(Quiet):
    def __getitem__(self, index: int) -> Any:
        return os.getpid()


class Views(Quiet):
    """Batches of odd strides and kinds."""

    def __getitem__(self, index: int) -> Any:
        return torch.arange(12.0).view(3, 4) + index


def transposed(items: list[Any]) -> Any:
    stacked = torch.stack(items)
    odd = np.arange(9)[::-2]
    return {"t": stacked.transpose(1, 2), "half": stacked.bfloat16(), "names": [str(len(items))], "odd": odd}


def drawing_collate(items: list[Any]) -> Any:
    return torch.stack([item[0] for item in items]), random.random(), np.random.rand(), torch.rand(2)


def augment(item: Any, stream: Any) -> Any:
    return item, stream.uniform(), int(stream.integers(0, 100)), float(stream.numpy().random())


augment.draws = "stream"  # type: ignore[attr-defined]


def shake(item: Any) -> Any:
    return item[1] if isinstance(item, tuple) else item, random.random(), np.random.rand(2), torch.rand(2)


def is_kept(item: Any) -> bool:
    return bool(item[1] % 3)


is_kept.draws = "none"  # type: ignore[attr-defined]


def is_lucky(item: Any) -> bool:
    return random.random() < 0.5


def is_chosen(item: Any, stream: Any) -> bool:
    return bool(stream.uniform() < 0.5)


is_chosen.draws = "stream"  # type: ignore[attr-defined]


def document(index: int) -> Any:
    return np.arange(index * 100, index * 100 + 1 + index * 7 % 11)


class Documents(Quiet):
    def __getitem__(self, index: int) -> Any:
        return document(index)


def noisy_document(item: Any, stream: Any) -> Any:
    return np.append(item, stream.integers(0, 1000, int(stream.integers(0, 4))))


noisy_document.draws = "stream"  # type: ignore[attr-defined]


class Counting(IterableDataset[Any]):
    """A stream of n items that draws globally; begins anew when it was exhausted."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.at = 0

    def __iter__(self) -> Iterator[Any]:
        while self.at < self.n:
            item = self.at
            self.at += 1
            yield item, random.random(), torch.rand(2)
        self.at = 0

    def state_dict(self) -> dict[str, Any]:
        return {"at": self.at}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.at = state["at"]


class Rewinding(Counting):
    """Begins anew in every `__iter__` but the first one after a load, so that its state at the end means the end."""

    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.is_loaded = False
        self.epoch = -1

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[Any]:
        if not self.is_loaded:
            self.at = 0
        self.is_loaded = False
        while self.at < self.n:
            item = self.at
            self.at += 1
            yield self.epoch, item

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        self.is_loaded = True
