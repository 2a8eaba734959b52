"""What a loader says of each batch that it hands over: which items, which bits, what was drawn for it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np
import xxhash

from samerun.errors import UsageError
from samerun.state.digest import data_of, digest_tree, header, structure_bytes
from samerun.state.tree import encode

_headers: dict[Hashable, bytes] = {}
_HEADERS_KEPT = 256


class BatchNote(NamedTuple):
    """One consumed batch."""

    epoch: int
    ids: Any
    """Ids of its items in order (array; int64 indices unless the loader was given ids)."""
    batch: Any
    counts: Mapping[str, int]
    """Numbers drawn for it, by template: they belong to the step that consumes it, whichever process drew them."""
    is_columns: bool = False
    """The batch is a tree of fresh tensors and arrays, none sharing memory with another."""
    known_digest: str | None = None
    """The digest, where a worker has computed it already."""

    @property
    def digest(self) -> str:
        """The xxh3 digest of the batch; of its ids alone where the batch holds what a state cannot (own classes)."""
        if self.known_digest is not None:
            return self.known_digest
        return digest_columns(self.batch) if self.is_columns else digest_batch(self.batch, self.ids)


def digest_batch(batch: object, ids: Any) -> str:
    """Return the digest of a batch as a state; of its ids where it holds what a state cannot."""
    try:
        return digest_tree(batch)
    except UsageError:
        return digest_tree({"ids": [str(item) for item in ids]})


def digest_columns(batch: Any) -> str:
    """Return what `digest_tree` returns, at a fifth of the time: shapes of columns repeat, only bytes are new."""
    flat = batch if type(batch) is tuple else (batch,)
    key = (type(batch), tuple([_facts(leaf) for leaf in flat]))
    begin = _headers.get(key)
    if begin is None:
        if any(fact is None for fact in key[1]):
            return digest_tree(batch)
        begin = header(structure_bytes(encode(batch)[0]))
        if len(_headers) < _HEADERS_KEPT:
            _headers[key] = begin
    running = xxhash.xxh3_128(begin)
    for leaf in flat:
        running.update(leaf.data if type(leaf) is np.ndarray and leaf.flags.c_contiguous else data_of(leaf))
    return f"xxh3:{running.hexdigest()}"


def _facts(leaf: Any) -> Hashable:
    """Return what the structure of a column follows from, None for a tree in its place."""
    return None if isinstance(leaf, (tuple, dict)) else (type(leaf), leaf.dtype, leaf.shape)
