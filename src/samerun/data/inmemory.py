"""Data sets that are arrays or tensors in memory: a batch is one index_select of each, no Python for an item.

A tree is a tensor, an array, or a tuple or dict of trees; their first axis counts the items. Batches have the tree's
form and kinds: arrays give arrays, tensors give tensors (on their device), a TensorDataset gives a tuple.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from samerun.data.order import Ids
from samerun.data.wire import aligned
from samerun.errors import UsageError

Take = Callable[[Any, Any], Any]


def is_arrays(value: object) -> bool:
    """Whether this is a tree of arrays or tensors in memory (a TensorDataset counts as the tuple it holds)."""
    tree = tree_of(value)
    if isinstance(tree, tuple):
        return bool(tree) and all(is_arrays(item) for item in tree)
    if isinstance(tree, dict):
        return bool(tree) and all(is_arrays(item) for item in tree.values())
    return _is_leaf(tree)


def tree_of(value: object) -> Any:
    """Return the tree itself: the tensors of a TensorDataset, anything else as it is."""
    torch = sys.modules.get("torch")
    if torch is not None and type(value) is torch.utils.data.TensorDataset:
        return value.tensors  # type: ignore[attr-defined]
    return value


def _is_leaf(value: object) -> bool:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return bool(value.ndim > 0)
    return isinstance(value, np.ndarray) and value.ndim > 0


def leaves(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (path, array or tensor) in order; dict keys in their own order."""
    if isinstance(tree, tuple):
        for index, item in enumerate(tree):
            yield from leaves(item, f"{path}[{index}]")
    elif isinstance(tree, dict):
        for key, item in tree.items():
            yield from leaves(item, f"{path}[{key!r}]")
    else:
        yield path, tree


def mapped(tree: Any, change: Callable[[Any], Any]) -> Any:
    """Return the tree with each leaf replaced."""
    if isinstance(tree, tuple):
        items = [mapped(item, change) for item in tree]
        # A namedtuple takes its fields one by one.
        return type(tree)(*items) if type(tree) is not tuple else tuple(items)
    if isinstance(tree, dict):
        return {key: mapped(item, change) for key, item in tree.items()}
    return change(tree)


class InMemory:
    """A tree of arrays as a source of batches, and of items where a transform wants them one by one."""

    draws = "none"

    def __init__(self, tree: Any) -> None:
        self._tree = tree_of(tree)
        lengths = {path: len(leaf) for path, leaf in leaves(self._tree)}
        if len(set(lengths.values())) != 1:
            raise UsageError(
                "SR-DATA-002",
                "arrays of one data set differ in length",
                evidence=[f"{path or 'data'}: {length} items" for path, length in lengths.items()],
                do="cut them to the same first axis",
            )
        self._length = next(iter(lengths.values()))

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> Any:
        return mapped(self._tree, lambda leaf: leaf[index])

    def reader(self, order: Ids) -> Callable[[int, int], Any]:
        """Return take(start, stop) -> the batch of the items order[start:stop]; the order is prepared once."""
        places: dict[str, Any] = {}

        def prepared(leaf: Any) -> Callable[[int, int], Any]:
            if isinstance(leaf, np.ndarray):
                return _array_taker(leaf, order)
            device = str(leaf.device)
            if device not in places:
                places[device] = sys.modules["torch"].from_numpy(order).to(leaf.device)
            return _tensor_taker(leaf, places[device])

        tree = self._tree
        if type(tree) is tuple and len(tree) == 2 and len(flat := [leaf for _, leaf in leaves(tree)]) == 2:
            first, second = (prepared(leaf) for leaf in flat)
            if len(places) == 1 and not any(isinstance(leaf, np.ndarray) for leaf in flat):
                return _pair_taker(flat[0], flat[1], next(iter(places.values())))
            return lambda start, stop: (first(start, stop), second(start, stop))
        takers = mapped(tree, prepared)
        if callable(takers):
            return takers  # type: ignore[no-any-return]
        return lambda start, stop: mapped(takers, lambda taker: taker(start, stop))


def _tensor_taker(leaf: Any, order: Any) -> Callable[[int, int], Any]:
    select = leaf.detach().index_select
    return lambda start, stop: select(0, order[start:stop])


def _pair_taker(first: Any, second: Any, order: Any) -> Callable[[int, int], Any]:
    # Items and targets as two tensors are the usual form: one cut of the order serves both.
    take_first, take_second = first.detach().index_select, second.detach().index_select

    def take(start: int, stop: int) -> Any:
        chosen = order[start:stop]
        return take_first(0, chosen), take_second(0, chosen)

    return take


def _array_taker(leaf: np.ndarray[Any, Any], order: Ids) -> Callable[[int, int], Any]:
    shape, dtype = leaf.shape[1:], leaf.dtype
    if dtype.hasobject:
        return lambda start, stop: leaf[order[start:stop]]
    row_bytes = dtype.itemsize * int(np.prod(shape, dtype=np.int64))

    def take(start: int, stop: int) -> np.ndarray[Any, Any]:
        # Aligned like torch's memory: NumPy's own depends on the heap, and kernels may choose by alignment.
        out = aligned((stop - start) * row_bytes).view(dtype).reshape(stop - start, *shape)
        return leaf.take(order[start:stop], 0, out, "clip")

    return take
