"""Packing: items of any length are cut into rows of one length, in order, nothing lost between rows or batches.

A position is the first item that is not wholly handed over, and how much of it is: no data is kept in a state, the
item is read again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from samerun.data.inmemory import leaves, mapped
from samerun.data.wire import aligned
from samerun.errors import UsageError


@dataclass(frozen=True)
class Pack:
    """How items become rows: each item is a sequence (array, tensor or list of numbers), or a tuple or dict of such
    of one length; they are joined end to end and cut. A batch has the item's form with shape (rows, length).
    """

    length: int
    """Tokens in a row."""
    end: int | None = None
    """A token put behind each item (in each of its sequences), None for none."""
    pad: int | None = None
    """What fills the last row of an epoch; None drops what does not fill a row."""

    def __post_init__(self) -> None:
        if isinstance(self.length, bool) or not isinstance(self.length, int) or self.length < 1:
            raise UsageError(
                "SR-DATA-011",
                "a loader's option is out of range",
                evidence=[f"Pack.length: {self.length!r}, wanted: an integer of at least 1"],
                do="correct the option",
            )


@dataclass
class Piece:
    """An item under way: where it was read, and how much of it is handed over."""

    place: Any
    item_id: Any
    columns: Any
    length: int
    used: int = 0


class Carry:
    """Pieces that are read and not wholly handed over, oldest first."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self.pieces: deque[Piece] = deque()
        self.held = 0
        """Tokens that are read and not handed over."""

    def clear(self) -> None:
        """Forget all pieces."""
        self.pieces.clear()
        self.held = 0

    def add(self, place: Any, item_id: Any, item: Any, used: int) -> None:
        """Add an item, of which `used` tokens were handed over before. Raises UsageError SR-DATA-013."""
        columns = mapped(item, lambda leaf: _sequence(leaf, self.pack.end))
        lengths = {len(leaf) for _, leaf in leaves(columns)}
        if len(lengths) != 1:
            raise UsageError(
                "SR-DATA-013",
                f"item {item_id!r} cannot be packed: its sequences differ in length",
                evidence=[f"{path or 'item'}: {len(leaf)}" for path, leaf in leaves(columns)],
                do="give the sequences of an item one length",
            )
        length = lengths.pop()
        if used < length:
            self.pieces.append(Piece(place, item_id, columns, length, used))
            self.held += length - used

    def rows(self, number: int) -> tuple[Any, list[Any]]:
        """Hand over this many rows: the batch, and the ids of the items in it."""
        parts, ids, wanted = [], [], number * self.pack.length
        while wanted and self.pieces:
            piece = self.pieces[0]
            stop = min(piece.length, piece.used + wanted)
            parts.append(mapped(piece.columns, _slicer(piece.used, stop)))
            ids.append(piece.item_id)
            self.held -= stop - piece.used
            wanted -= stop - piece.used
            piece.used = stop
            if piece.used == piece.length:
                self.pieces.popleft()
        joined = [list(column) for column in zip(*([leaf for _, leaf in leaves(part)] for part in parts), strict=True)]
        built = iter([_joined(column, wanted, self.pack) for column in joined])
        return mapped(parts[0], lambda _: next(built)), ids


def _slicer(start: int, stop: int) -> Callable[[Any], Any]:
    return lambda leaf: leaf[start:stop]


def _sequence(leaf: Any, end: int | None) -> Any:
    if isinstance(leaf, Sequence) and not isinstance(leaf, str):
        leaf = np.asarray(leaf, np.int64) if not leaf or isinstance(leaf[0], int) else np.asarray(leaf)
    if getattr(leaf, "ndim", 0) != 1:
        raise UsageError(
            "SR-DATA-013",
            "an item cannot be packed: it is no sequence",
            evidence=[f"found: {type(leaf).__name__} of shape {tuple(getattr(leaf, 'shape', ()))}"],
            do="let the transform return a sequence of numbers, or a tuple or dict of such",
        )
    if end is None:
        return leaf
    if isinstance(leaf, np.ndarray):
        return np.append(leaf, leaf.dtype.type(end))
    import torch

    return torch.cat([leaf, leaf.new_full((1,), end)])


def _joined(parts: list[Any], missing: int, pack: Pack) -> Any:
    if isinstance(parts[0], np.ndarray):
        if missing:
            parts = [*parts, np.full(missing, pack.pad, parts[0].dtype)]
        size = sum(len(part) for part in parts)
        out = aligned(size * parts[0].itemsize).view(parts[0].dtype)
        return np.concatenate(parts, out=out).reshape(-1, pack.length)
    import torch

    if missing:
        parts = [*parts, parts[0].new_full((missing,), pack.pad)]
    return torch.cat(parts).view(-1, pack.length)
