"""Which of the three kinds of data set something is: arrays in memory, items by index, or a stream."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Literal, Protocol, runtime_checkable

from samerun.data.inmemory import is_arrays
from samerun.errors import UsageError

Kind = Literal["arrays", "items", "stream"]


@runtime_checkable
class HasItems(Protocol):
    """A map-style data set."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Any: ...


@runtime_checkable
class ResumableStream(Protocol):
    """A stream whose state, taken after an item, means the next one."""

    def __iter__(self) -> Any: ...
    def state_dict(self) -> dict[str, Any]: ...
    def load_state_dict(self, state: dict[str, Any], /) -> None: ...


def kind_of(dataset: object) -> Kind:
    """Say which kind of data set this is. Raises UsageError SR-DATA-001 when it is none."""
    if is_arrays(dataset):
        return "arrays"
    is_iterable = _is_torch_stream(dataset)
    # A torch IterableDataset has __getitem__ too, which only raises.
    if isinstance(dataset, HasItems) and not is_iterable and not isinstance(dataset, Mapping):
        return "items"
    if isinstance(dataset, ResumableStream):
        return "stream"
    why = "it can be iterated, but has no state_dict and load_state_dict: a resume could not find its place"
    raise UsageError(
        "SR-DATA-001",
        f"{type(dataset).__name__} is no data set that a loader can read",
        evidence=[why if is_iterable or hasattr(dataset, "__iter__") else "it has neither items nor an iterator"],
        do="give arrays or tensors, a data set with __len__ and __getitem__, or a stream with state_dict",
    )


def _is_torch_stream(dataset: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(dataset, torch.utils.data.IterableDataset)
