"""Digests of a state: of the whole tree, and of each leaf, so that a difference can be named.

The tree's digest is xxh3-128 over the structure (every type, key, order, dtype, shape, plain value, sharing), then the
bytes of each leaf in order. Parameter or tensor, requires_grad, strides and device are no part of it.
The same numbers at loop speed: view.py.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import xxhash

from samerun.base.digest import xxh3
from samerun.state import arrays, leaves
from samerun.state.leaves import JSON
from samerun.state.tree import encode

if TYPE_CHECKING:
    import torch

    from samerun.state.sharing import Leaf

MAGIC = b"samerun state 1\n"
CACHED_BYTES = 1 << 18
"""How much is hashed twice in turn: it stays in the processor's cache."""
CONTAINERS = frozenset({"dict", "ordered", "counter", "default", "deque", "tuple", "size"})
_BYTES = frozenset({"tensor", "array", "raw"})


def structure_bytes(structure: JSON) -> bytes:
    """Return the one spelling of a structure: RFC 8785 (it holds no float, so json.dumps gives exactly that)."""
    return json.dumps(structure, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def header(spelled: bytes) -> bytes:
    """Return what is hashed before the bytes of the leaves."""
    return b"%b%d\n%b" % (MAGIC, len(spelled), spelled)


def data_of(value: Any) -> memoryview:
    """Return the bytes of a tensor or array in C order, on the host."""
    if isinstance(value, np.ndarray):
        return arrays.data_of(value)
    from samerun.state import tensors

    return tensors.data_of(value)


def digest_tree(tree: object) -> str:
    """Return `xxh3:...` of a state; equal exactly where structure and bits are equal."""
    structure, found = encode(tree)
    running = xxhash.xxh3_128(header(structure_bytes(structure)))
    for leaf in found:
        running.update(data_of(leaf.value))
    return f"xxh3:{running.hexdigest()}"


def digest_leaves(tree: object) -> dict[str, str]:
    """Return the digest of each leaf by path, in order.

    A leaf is a tensor, an array, a plain value, an empty container, or a list or tuple of nothing but plain values.
    A tensor that stands twice has the same digest at both paths.
    """
    return digest_both(tree)[1]


def digest_both(tree: object) -> tuple[str, dict[str, str]]:
    """Return `digest_tree` and `digest_leaves` of one tree, reading its memory once."""
    structure, found = encode(tree)
    running = xxhash.xxh3_128(header(structure_bytes(structure)))
    hashed: dict[str, str] = {}
    for leaf in found:
        own, data = _leaf_start(leaf), data_of(leaf.value)
        for begin in range(0, len(data), CACHED_BYTES):
            part = data[begin : begin + CACHED_BYTES]
            running.update(part)
            own.update(part)
        hashed[leaf.path] = f"xxh3:{own.hexdigest()}"
    return f"xxh3:{running.hexdigest()}", _leaf_digests(structure, hashed)


def digest_tensor(tensor: torch.Tensor) -> str:
    """Return the digest of one tensor alone, as `digest_leaves` gives it: dtype, shape and bits in C order."""
    from samerun.state import tensors

    running = _start(tensors.dtype_text(tensor), tuple(tensor.shape))
    running.update(tensors.data_of(tensor))
    return f"xxh3:{running.hexdigest()}"


def _leaf_start(leaf: Leaf) -> xxhash.xxh3_128:
    return _start(leaf.facts["dtype"], tuple(leaf.facts["shape"]))


def _start(dtype: str, shape: tuple[int, ...]) -> xxhash.xxh3_128:
    return xxhash.xxh3_128(_leaf_header(dtype, shape))


@lru_cache(maxsize=4096)
def _leaf_header(dtype: str, shape: tuple[int, ...]) -> bytes:
    return header(structure_bytes({"dtype": dtype, "shape": list(shape)}))


def _leaf_digests(structure: JSON, hashed: Mapping[str, str]) -> dict[str, str]:
    return {path: _node_digest(node, hashed) for path, node in leaf_nodes(structure)}


def _node_digest(node: JSON, hashed: Mapping[str, str]) -> str:
    if isinstance(node, dict):
        ((tag, payload),) = node.items()
        if tag in _BYTES:
            return hashed[payload["at"]]
        if tag == "same":
            return hashed[payload]
    return xxh3(header(structure_bytes(node)))


def leaf_nodes(structure: JSON) -> list[tuple[str, JSON]]:
    """Return (path, node) of each leaf of a structure, in order, as `digest_leaves` counts them."""
    found: list[tuple[str, JSON]] = []
    _collect(structure, [], found)
    return found


def _collect(node: JSON, parts: list[str], found: list[tuple[str, JSON]]) -> None:
    children = _children(node)
    if not children or _is_plain_sequence(node, children):
        found.append(("/".join(parts), node))
        return
    for part, child in children:
        _collect(child, [*parts, part], found)


def _is_plain_sequence(node: JSON, children: Sequence[tuple[str, JSON]]) -> bool:
    is_sequence = isinstance(node, list) or not {"tuple", "size", "deque"}.isdisjoint(node)
    return is_sequence and all(_is_plain(child) for _, child in children)


def _is_plain(node: JSON) -> bool:
    if isinstance(node, list):
        return False
    return not isinstance(node, dict) or not (node.keys() & (CONTAINERS | _BYTES | {"same"}))


def _children(node: JSON) -> list[tuple[str, JSON]]:
    if isinstance(node, list):
        return [(str(index), item) for index, item in enumerate(node)]
    if not isinstance(node, dict):
        return []
    ((tag, payload),) = node.items()
    if tag in ("tuple", "size", "deque"):
        items = payload[1] if tag == "deque" else payload
        return [(str(index), item) for index, item in enumerate(items)]
    if tag not in CONTAINERS:
        return []
    pairs = payload[1] if tag == "default" else payload
    return [(leaves.path_part(leaves.decode_key(key)), item) for key, item in pairs]


def digest_components(digests: Mapping[str, str]) -> str:
    """Return one digest over the digests of all components: `run/state_digest` of a row."""
    return xxh3(structure_bytes(dict(digests)))
