"""Addresses of the tensors of a component, hashed without asking torch again, and the check that they still hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter, is_
from typing import TYPE_CHECKING, Any

import numpy as np
import xxhash

from samerun.state.digest import data_of

if TYPE_CHECKING:
    import torch

    from samerun.state.sharing import Leaf

_dtype_of = attrgetter("dtype")


class TensorCache:
    """The live tensors of a component, and the bytes of its leaves where they lie."""

    def __init__(self, live: Sequence[torch.Tensor], found: Sequence[Leaf]) -> None:
        import torch

        self.live = tuple(live)
        twins = tuple(tensor.detach() for tensor in live)
        self._address_of = torch.Tensor.data_ptr
        self._addresses = tuple(map(self._address_of, twins))
        self._has_same_shapes = _shape_check(self.live, twins)
        self._blocks = [_block(leaf.value) for leaf in found]
        self._is_direct = all(isinstance(block, memoryview) for block in self._blocks)
        self.nbytes = sum(leaf.value.nbytes for leaf in found)

    def holds(self) -> bool:
        """Whether every live tensor still has the same memory, shape, strides and dtype."""
        return tuple(map(self._address_of, self.live)) == self._addresses and self._has_same_shapes()

    def digest(self, header: bytes) -> str:
        """Return the digest over a header and the bytes of all leaves as they are now."""
        running = xxhash.xxh3_128(header)
        if self._is_direct:
            for _ in map(running.update, self._blocks):
                pass
        else:
            for block in self._blocks:
                running.update(block if isinstance(block, memoryview) else data_of(block))
        return f"xxh3:{running.hexdigest()}"


def _shape_check(live: tuple[torch.Tensor, ...], twins: tuple[torch.Tensor, ...]) -> Callable[[], bool]:
    """Return a function that says whether dtype, shape and strides of all `live` are still those of now."""
    try:
        # What torch.compile guards its graphs with: all tensors in one call. Not a public name, so never relied on.
        from torch._C._dynamo.guards import TensorGuards

        sizes: Any = [list(tensor.shape) for tensor in live]
        strides: Any = [list(tensor.stride()) for tensor in live]
        guards = TensorGuards(*live, dynamic_dims_sizes=sizes, dynamic_dims_strides=strides)
        if live and guards.check(*live):
            return partial(guards.check, *live)
    except (ImportError, TypeError, ValueError, RuntimeError):
        pass
    return partial(have_same_shapes, live, twins)


def have_same_shapes(live: tuple[torch.Tensor, ...], twins: tuple[torch.Tensor, ...]) -> bool:
    """Whether each of `live` has the dtype, storage, offset, shape and strides of its twin."""
    import torch

    dtypes_agree = all(map(is_, map(_dtype_of, live), map(_dtype_of, twins)))
    return dtypes_agree and all(map(torch.Tensor.is_set_to, live, twins))


def _block(value: Any) -> Any:
    """Return the bytes of a tensor where they lie, or the tensor itself where they must be gathered each time."""
    if isinstance(value, np.ndarray):
        return value
    from samerun.state import tensors

    return tensors.memory_of(value.detach()) if tensors.is_direct(value) else value
