"""What a task gives the supervised trainer: items of each split in memory or by index, and what the identity must know
of them. Reading files is each task's own work; batching and order are data/loader.py's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import torch

from samerun.errors import ConfigError
from samerun.trainers.models.shape import Shape
from samerun.trainers.supervised.tasks.places import place_of


class IndexedItems(Protocol):
    """A map-style data set of (input, target) pairs."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> tuple[torch.Tensor, Any]: ...


Items = tuple[torch.Tensor, torch.Tensor] | IndexedItems
"""All inputs and all targets of a split in memory, or the split as a map-style data set."""

Augment = Callable[..., tuple[torch.Tensor, Any]]
"""Changes one training item at random: a loader's transform, which declares `draws` (data/draws.py)."""


@dataclass(frozen=True)
class Task:
    """Data, ready to train on. `splits` has "train", "test" and, unless its share is 0, "validation"."""

    shape: Shape
    splits: Mapping[str, Items]
    inputs: tuple[Path, ...] = ()
    """Files and folders that were read: the digests of their content are part of the run's identity."""
    augment: Augment | None = None
    outputs: tuple[str, ...] = ()
    """Names of the classes, in the order of the model's outputs."""
    target_mean: float = 0.0
    target_deviation: float = 1.0
    """For `value`: targets are (value - mean) / deviation; metrics are in the unit of the value."""
    bytes_per_token: torch.Tensor = field(default_factory=lambda: torch.ones(0))
    """For `tokens`: how many bytes of text each token stands for, so that losses compare between vocabularies."""


def num_items(items: Items) -> int:
    """Count the items of a split."""
    return len(items[0]) if isinstance(items, tuple) else len(items)


def locate(path: str, project: Path | None) -> Path:
    """Return where `path` of a recipe lies: relative paths start at the recipe's project folder, `samerun:NAME` is a
    text inside this package. Raises ConfigError SR-TASK-001 when nothing is there.
    """
    found = place_of(path, project)
    if not found.exists():
        raise ConfigError(
            "SR-TASK-001",
            f"task.path: {path} does not exist",
            evidence=[f"looked for: {found}"],
            do="correct task.path; a relative path starts at the project folder",
        )
    return found
