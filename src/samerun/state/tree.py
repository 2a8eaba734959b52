"""A state as two things that can be stored: `pack` splits any tree into structure (JSON) and tensors; `unpack` joins.

What a tree may hold is a closed list (leaves.py, arrays.py, tensors.py and the containers here); everything else is
refused with its path and type. The structure is exact: equal structure and equal bytes mean an equal state. Digests
live in digest.py, files in samerun/checkpoint.
"""

from __future__ import annotations

import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from samerun.errors import UsageError
from samerun.state import arrays, leaves
from samerun.state.leaves import JSON
from samerun.state.packed import FACTORIES, VERSIONS, Packed, Value
from samerun.state.sharing import Leaf, resolve, slabs

if TYPE_CHECKING:
    import torch

DEPTH_LIMIT = 50
_FACTORY_NAMES = {factory: name for name, factory in FACTORIES.items()}


def pack(tree: object) -> Packed:
    """Split a tree into structure and tensors, without copying a tensor (views that overlap excepted).

    Raises UsageError SR-STATE-001..006 with path and type where the tree holds something a state cannot.
    """
    walk = _Walk()
    structure = walk.node(tree)
    found = resolve(walk.leaves)
    tensors: dict[str, Value] = {leaf.path: _resolved(leaf.value) for leaf in found if "shares" not in leaf.facts}
    shared = slabs(found)
    tensors.update(shared)
    layout = {leaf.path: facts for leaf in found if (facts := _layout(leaf))}
    layout.update({name: {"size": slab.nbytes} for name, slab in shared.items()})
    if walk.versions:
        layout[VERSIONS] = walk.versions
    return Packed(structure, tensors, layout)


def _resolved(value: Value) -> Value:
    # A conjugate or negative view is values that are still to be computed; what is stored is the values.
    return value if isinstance(value, np.ndarray) else value.resolve_conj().resolve_neg()


def _layout(leaf: Leaf) -> dict[str, Any]:
    if isinstance(leaf.value, np.ndarray):
        strides = arrays.permutation(leaf.value)
        return {} if strides is None else {"strides": strides}
    from samerun.state import tensors

    device = str(leaf.value.device)
    strides = None if "shares" in leaf.facts else tensors.permutation(leaf.value)
    return ({} if device == "cpu" else {"device": device}) | ({} if strides is None else {"strides": strides})


def encode(tree: object) -> tuple[JSON, list[Leaf]]:
    """Return the structure of a tree and the leaves that have bytes, in order; sharing is marked (sharing.py)."""
    walk = _Walk()
    structure = walk.node(tree)
    return structure, resolve(walk.leaves) if len(walk.leaves) > 1 else walk.leaves


class _Walk:
    """One pass over a tree; `parts` is the path of keys to the value being looked at."""

    def __init__(self) -> None:
        self.leaves: list[Leaf] = []
        self.parts: list[object] = []
        self.ordered = 0
        self.versions: dict[str, Any] = {}

    def node(self, value: object) -> JSON:
        kind = type(value)
        if kind is str:
            return leaves.encode_text(value)  # type: ignore[arg-type]
        if kind is int:
            return leaves.encode_int(value)  # type: ignore[arg-type]
        if kind is float:
            return leaves.encode_float(value)  # type: ignore[arg-type]
        if value is None or kind is bool:
            return value
        encoder = _ENCODERS.get(kind) or _foreign_encoder(value)
        if encoder is None:
            leaves.refuse(self.path, value, *_advice(value))
        return encoder(self, value)

    @property
    def path(self) -> str:
        return "/".join(map(leaves.path_part, self.parts))

    def child(self, key: object, value: object) -> JSON:
        if len(self.parts) >= DEPTH_LIMIT:
            raise UsageError(
                "SR-STATE-005",
                f"the state is nested deeper than {DEPTH_LIMIT} levels",
                evidence=[f"at {self.path[:200]}"],
                do="flatten it; if it holds itself, store a key instead of the object",
            )
        self.parts.append(key)
        node = self.node(value)
        self.parts.pop()
        return node

    def sequence(self, value: Any) -> list[JSON]:
        return [self.child(index, item) for index, item in enumerate(value)]

    def pairs(self, value: Mapping[Any, Any]) -> list[JSON]:
        return [[leaves.encode_key(key, self.path), self.child(key, item)] for key, item in value.items()]

    def leaf(self, tag: str, value: Any, dtype: str) -> JSON:
        path = self.path
        node = {tag: {"at": path, "dtype": dtype, "shape": list(value.shape)}}
        self.leaves.append(Leaf(path, value, node))
        return node


def _bytes(walk: _Walk, value: bytes) -> JSON:
    if len(value) < leaves.LONG_BYTES:
        return leaves.encode_bytes(value)
    path = walk.path
    node = {"raw": {"at": path, "dtype": "|u1", "shape": [len(value)]}}
    walk.leaves.append(Leaf(path, np.frombuffer(value, np.uint8), node))
    return node


def _ordered(walk: _Walk, value: OrderedDict[Any, Any]) -> JSON:
    # torch hangs the versions of the modules on the OrderedDict of a state_dict; loading an old state needs them.
    versions = vars(value).get("_metadata")
    if versions is not None:
        walk.versions[str(walk.ordered)] = _Walk().node({key: dict(item) for key, item in versions.items()})
    walk.ordered += 1
    return {"ordered": walk.pairs(value)}


def _default(walk: _Walk, value: defaultdict[Any, Any]) -> JSON:
    name = _FACTORY_NAMES.get(value.default_factory)  # type: ignore[arg-type]
    if name is None:
        raise UsageError(
            "SR-STATE-004",
            f"{walk.path or 'the state'} is a defaultdict that calls {value.default_factory!r:.80}",
            evidence=[f"its factory is code; a state holds values. Known factories: {', '.join(FACTORIES)}"],
            do="use a plain dict, or one of the known factories",
        )
    return {"default": [name, walk.pairs(value)]}


_ENCODERS: dict[type, Callable[[_Walk, Any], JSON]] = {
    list: lambda walk, value: walk.sequence(value),
    tuple: lambda walk, value: {"tuple": walk.sequence(value)},
    dict: lambda walk, value: {"dict": walk.pairs(value)},
    OrderedDict: _ordered,
    defaultdict: _default,
    Counter: lambda walk, value: {"counter": walk.pairs(value)},
    deque: lambda walk, value: {"deque": [value.maxlen, walk.sequence(value)]},
    bytes: _bytes,
    complex: lambda walk, value: leaves.encode_complex(value),
    np.ndarray: lambda walk, value: walk.leaf("array", value, arrays.dtype_text(value.dtype, walk.path)),
}


def _foreign_encoder(value: object) -> Callable[[_Walk, Any], JSON] | None:
    if isinstance(value, np.generic) and type(value).__module__ == "numpy":
        return lambda walk, scalar: {"scalar": arrays.scalar_node(scalar, walk.path)}
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    if isinstance(value, torch.Tensor):
        return _tensor
    if type(value) is torch.Size:
        return lambda walk, size: {"size": walk.sequence(size)}
    if type(value) is torch.dtype:
        return lambda walk, dtype: {"dtype": str(dtype).removeprefix("torch.")}
    if type(value) is torch.device:
        return lambda walk, device: {"device": str(device)}
    return None


def _tensor(walk: _Walk, value: torch.Tensor) -> JSON:
    from samerun.state import tensors

    tensors.check(value, walk.path)
    return walk.leaf("tensor", value, tensors.dtype_text(value))


def _advice(value: object) -> tuple[str, str]:
    if isinstance(value, (set, frozenset)):
        return "a set has no order that outlives the process", "store sorted(...) of it"
    if isinstance(value, (tuple, dict, list, int, float, str, bytes)):
        return f"only the plain type is exact; this is a subclass of {type(value).__mro__[-2].__name__}", (
            "convert it to the plain type in state_dict(), and back in load_state_dict()"
        )
    if callable(value):
        return "it is code; a state holds values", "leave it out, and make it anew when the run is opened"
    return "a state holds tensors, arrays, numbers, text, bytes, None, lists, tuples and dicts", (
        "give its state_dict() in place of the object, or leave it out"
    )


def host_copy(packed: Packed, reuse: Mapping[str, Value] | None = None) -> Packed:
    """Return the same state with tensors of its own in host memory, for a writer that runs while training goes on.

    `reuse` is memory of an earlier copy that nobody reads any more: fresh memory costs several times the copy.
    """
    old = reuse or {}
    tensors = {path: _copied(value, old.get(path)) for path, value in packed.tensors.items()}
    return Packed(packed.structure, tensors, packed.layout)


def _copied(value: Value, old: Value | None) -> Value:
    if isinstance(value, np.ndarray):
        return value.copy(order="K")
    from samerun.state import tensors

    return tensors.copy(value, None if isinstance(old, np.ndarray) else old)
