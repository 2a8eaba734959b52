"""What lies in a folder of data, and what arrays hold: listings in one order, digests of content.

Names of files sort by their bytes, never by the order of the disk (it differs between file systems).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from samerun.base.canon import canonical_bytes
from samerun.base.digest import Sha256
from samerun.data.inmemory import is_arrays as is_arrays
from samerun.data.inmemory import leaves, tree_of
from samerun.errors import MissingError, UsageError


def scan(root: Path) -> list[Path]:
    """List the files under a folder (links to files included), sorted by relative path; a file lists itself.

    Links to folders are not entered, hidden files count. Raises MissingError SR-DATA-015 for a path that is not there.
    """
    if root.is_file():
        return [root]
    if not root.is_dir():
        raise MissingError(
            "SR-DATA-015",
            f"there is no data at {root.as_posix()}",
            evidence=[f"looked for: {root.absolute().as_posix()}"],
            do="check the path; it is relative to the working folder",
        )
    found = [Path(folder) / name for folder, _, names in os.walk(root) for name in names]
    return sorted((path for path in found if path.is_file()), key=lambda path: os.fsencode(path.relative_to(root)))


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
