"""The digest of any component at every step, through its state_dict. Modules and optimizers have faster ways
(moduleview.py, optimizerview.py) and come here where theirs does not hold."""

from __future__ import annotations

import marshal
from collections.abc import Sequence
from typing import Any

import xxhash

from samerun.state.digest import data_of, header, structure_bytes
from samerun.state.restore import Adapter, state_of
from samerun.state.tree import encode

# marshal spells exact built-in types exactly, and any other object that has a buffer as bytes: a fingerprint is only
# trusted where the structure holds no bytes that such an object could be mistaken for.
_BUFFERS = (b'"bytes":', b'"scalar":', b'"array":', b'"raw":')
_MARSHAL_VERSION = 2  # without back references, which depend on reference counts


def fingerprint(tree: Any) -> bytes | None:
    """Return bytes that differ where two trees of plain values differ; None where the tree holds anything else."""
    try:
        return marshal.dumps(tree, _MARSHAL_VERSION)
    except ValueError:
        return None


def is_plain(spelled: bytes) -> bool:
    """Whether a structure holds nothing that `fingerprint` could mistake for something else."""
    return not any(tag in spelled for tag in _BUFFERS)


class TreeView:
    """One component; plain numbers that did not change are not spelled again."""

    def __init__(self, thing: object, adapters: Sequence[Adapter] = ()) -> None:
        self.nbytes = 0
        """Bytes of tensors that the last `digest` hashed."""
        self._thing = thing
        self._adapters = adapters
        self._seen: bytes | None = None
        self._digest = ""

    def digest(self) -> str:
        """Return `xxh3:...` of the state now."""
        tree = state_of(self._thing, self._adapters)
        seen = None if self.nbytes else fingerprint(tree)
        if seen is not None and seen == self._seen:
            return self._digest
        structure, found = encode(tree)
        spelled = structure_bytes(structure)
        running = xxhash.xxh3_128(header(spelled))
        for leaf in found:
            running.update(data_of(leaf.value))
        self.nbytes = sum(leaf.value.nbytes for leaf in found)
        self._seen = seen if is_plain(spelled) else None
        self._digest = f"xxh3:{running.hexdigest()}"
        return self._digest
