"""The way back: a structure and its tensors become the tree that was packed. The way there is tree.py.

Nothing in a structure is trusted: an unknown tag, a missing tensor, another dtype or shape is damage with a reason.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from typing import TYPE_CHECKING, Any

import numpy as np

from samerun.errors import DamageError
from samerun.state import arrays, leaves
from samerun.state.leaves import JSON, damaged
from samerun.state.packed import FACTORIES, VERSIONS, Packed
from samerun.state.sharing import slab_name, view_of

if TYPE_CHECKING:
    pass


def unpack(packed: Packed) -> Any:
    """Join structure and tensors to the tree that was packed: same types, order, bits, sharing.

    The tensors of the result are those of `packed`, not copies (read-only memory and odd strides excepted).
    Raises DamageError (SR-STATE-020) where the two do not fit each other.
    """
    return Join(packed).tree()


class Join:
    """One pass over a structure."""

    def __init__(self, packed: Packed) -> None:
        self.packed = packed
        self.made: dict[str, Any] = {}
        self.number = 0

    def tree(self) -> Any:
        """Return the tree; any misfit is DamageError SR-STATE-020."""
        try:
            return self.value(self.packed.structure)
        except DamageError:
            raise
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RuntimeError) as problem:
            raise damaged(f"{type(problem).__name__}: {problem}") from problem

    def value(self, node: JSON) -> Any:
        """Return the value of one node."""
        if node is None or isinstance(node, (bool, int, str)):
            return node
        if isinstance(node, list):
            return [self.value(item) for item in node]
        ((tag, payload),) = node.items()
        if tag in ("tensor", "array", "raw"):
            return self.leaf(tag, node, payload)
        if tag == "same":
            return self.made[payload]
        container = self.container(tag, payload)
        if container is not None:
            return container
        if tag == "scalar":
            return arrays.parse_scalar(payload)
        if tag in ("dtype", "device"):
            return self.torch_thing(tag, payload)
        return leaves.decode_plain(tag, payload)

    def container(self, tag: str, payload: JSON) -> Any:
        """Return the container of a tag, or None for other tags."""
        match tag:
            case "dict":
                return dict(self.pairs(payload))
            case "tuple":
                return tuple(self.value(item) for item in payload)
            case "ordered":
                return self.ordered(payload)
            case "counter":
                return Counter(dict(self.pairs(payload)))
            case "default":
                return defaultdict(FACTORIES[payload[0]], self.pairs(payload[1]))
            case "deque":
                return deque((self.value(item) for item in payload[1]), payload[0])
            case "size":
                import torch

                return torch.Size(payload)
        return None

    def ordered(self, payload: JSON) -> OrderedDict[Any, Any]:
        """Return an OrderedDict; the module versions of a state_dict hang on it as torch had them."""
        versions = self.packed.layout.get(VERSIONS, {}).get(str(self.number))
        self.number += 1
        result = OrderedDict(self.pairs(payload))
        if versions is not None:
            result._metadata = OrderedDict(self.value(versions))  # type: ignore[attr-defined]
        return result

    def pairs(self, payload: JSON) -> list[tuple[str | int, Any]]:
        """Return the items of a dict; a key that stands twice is damage."""
        items = [(leaves.decode_key(key), self.value(item)) for key, item in payload]
        if len({key for key, _ in items}) != len(items):
            raise damaged("a key stands twice in one dict")
        return items

    def torch_thing(self, tag: str, payload: str) -> Any:
        """Return a torch.dtype or torch.device."""
        import torch

        from samerun.state.tensors import DTYPES

        return DTYPES[payload] if tag == "dtype" else torch.device(payload)

    def leaf(self, tag: str, node: JSON, facts: dict[str, Any]) -> Any:
        """Return the tensor, array or bytes of a node, checked against what the node says."""
        path = facts["at"]
        if path in self.made:
            raise damaged(f"two leaves are called {path!r:.80}")
        if "shares" in facts:
            value = view_of(node, self.packed.tensors[slab_name(facts["shares"][0])])  # type: ignore[arg-type]
        else:
            value = self.stored(tag, path, facts)
        self.made[path] = value
        return value

    def stored(self, tag: str, path: str, facts: dict[str, Any]) -> Any:
        """Return a leaf that has memory of its own."""
        if path not in self.packed.tensors:
            raise damaged(f"the tensor {path!r:.80} is missing")
        value = self.packed.tensors[path]
        layout = self.packed.layout.get(path, {})
        if isinstance(value, np.ndarray):
            _expect(path, facts, value.dtype.str, value.shape)
            if tag == "raw":
                return arrays.data_of(value).tobytes()
            if "strides" in layout and arrays.permutation(value) != layout["strides"]:
                return arrays.restride(value, layout["strides"])
            return value
        from samerun.state import tensors

        _expect(path, facts, tensors.dtype_text(value), value.shape)
        if "strides" in layout and tensors.permutation(value) != layout["strides"]:
            value = tensors.restride(value, layout["strides"])
        return tensors.place(value, layout["device"]) if "device" in layout else value


def _expect(path: str, facts: dict[str, Any], dtype: str, shape: tuple[int, ...]) -> None:
    if facts["dtype"] != dtype or facts["shape"] != list(shape):
        raise damaged(f"{path!r:.80} is {dtype}{list(shape)}, the structure says {facts['dtype']}{facts['shape']}")
