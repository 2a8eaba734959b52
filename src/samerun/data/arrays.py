"""The digest of arrays or tensors in memory: their places in the tree, dtypes, shapes and bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from samerun.base.canon import canonical_bytes
from samerun.base.digest import Sha256
from samerun.data.inmemory import leaves, tree_of
from samerun.errors import UsageError


def digest_arrays(tree: Any) -> str:
    """Return `sha256:...` over the content of arrays or tensors: their places in the tree, dtypes, shapes and bytes.

    A tensor and an array with the same content have the same digest. Raises UsageError SR-DATA-016 for arrays of
    Python objects, whose bytes mean nothing.
    """
    running = Sha256()
    for path, leaf in leaves(tree_of(tree)):
        data, dtype = _bytes_of(path, leaf)
        header = {"path": path, "dtype": dtype, "shape": list(leaf.shape)}
        spelled = canonical_bytes(header)
        running.update(len(spelled).to_bytes(8, "little") + spelled)
        running.update(data)
    return running.value


def _bytes_of(path: str, leaf: Any) -> tuple[memoryview, str]:
    if not isinstance(leaf, np.ndarray):
        import torch

        flat = leaf.detach().cpu().contiguous().resolve_conj().resolve_neg().view(-1)
        raw = flat.view(torch.uint8).numpy() if flat.numel() else np.empty(0, np.uint8)
        return raw.data, str(leaf.dtype).removeprefix("torch.")
    if leaf.dtype.hasobject:
        raise UsageError(
            "SR-DATA-016",
            f"the array {path or 'data'} holds Python objects",
            evidence=[f"dtype: {leaf.dtype}"],
            do="convert it to numbers or fixed-width text",
        )
    native = leaf.astype(leaf.dtype.newbyteorder("<"), copy=False)
    flat_array = np.ascontiguousarray(native).reshape(-1)
    raw = flat_array.view(np.uint8) if flat_array.size else np.empty(0, np.uint8)
    return raw.data, leaf.dtype.name
