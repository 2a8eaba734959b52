"""Which leaves of a state share memory: the same tensor twice, and views that overlap.

A second mention of the very same tensor becomes {"same": path}. Overlapping views keep their values and gain
`shares: [group, offset, strides]`; `slabs` copies the memory under each group once, so that writing through one view
after a restore shows in the others again. Views of one storage that do not overlap are independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from samerun.state import arrays

if TYPE_CHECKING:
    import torch

    Value = torch.Tensor | arrays.Array

ALIGNMENT = 16


@dataclass
class Leaf:
    """A tensor or array of a state: where it stands, its value, and its node in the structure (edited in place)."""

    path: str
    value: Value
    node: dict[str, Any]

    @property
    def facts(self) -> dict[str, Any]:
        """What the structure says of it: at, dtype, shape, and `shares` where its memory overlaps another's."""
        (facts,) = self.node.values()
        return facts  # type: ignore[no-any-return]


@dataclass(frozen=True)
class _Span:
    leaf: Leaf
    place: str
    low: int
    high: int
    first: int
    key: tuple[object, ...]


def resolve(leaves: Sequence[Leaf]) -> list[Leaf]:
    """Mark sharing in the nodes of `leaves`; return those that have bytes of their own to be hashed, in order."""
    spans = [span for leaf in leaves if (span := _span(leaf)) is not None]
    repeated: set[int] = set()
    for number, group in enumerate(_groups(spans)):
        firsts: dict[tuple[object, ...], _Span] = {}
        for span in group:
            first = firsts.setdefault(span.key, span)
            if first is not span:
                span.leaf.node.clear()
                span.leaf.node["same"] = first.leaf.path
                repeated.add(id(span.leaf))
        if len(firsts) > 1:
            _mark_overlap(number, list(firsts.values()))
    return [leaf for leaf in leaves if id(leaf) not in repeated]


def _span(leaf: Leaf) -> _Span | None:
    value = leaf.value
    if "raw" in leaf.node:
        return None
    if isinstance(value, np.ndarray):
        if value.nbytes == 0:
            return None
        low, high = arrays.byte_range(value)
        first = value.__array_interface__["data"][0]
        return _Span(leaf, "cpu", low, high, first, ("array", first, value.dtype.str, value.shape, value.strides))
    if value.numel() == 0 or value.is_conj() or value.is_neg():
        return None
    from samerun.state import tensors

    low, high = tensors.byte_range(value)
    key = ("tensor", low, value.dtype, tuple(value.shape), value.stride())
    return _Span(leaf, str(value.device), low, high, low, key)


def _groups(spans: Sequence[_Span]) -> list[list[_Span]]:
    """Return the groups of two or more whose byte ranges touch each other, members and groups in order of mention."""
    order = {id(span): at for at, span in enumerate(spans)}
    found: list[list[_Span]] = []
    place, reach = "", -1
    for span in sorted(spans, key=lambda span: (span.place, span.low, span.high)):
        if span.place == place and span.low < reach:
            found[-1].append(span)
            reach = max(reach, span.high)
        else:
            found.append([span])
            place, reach = span.place, span.high
    groups = [sorted(group, key=lambda span: order[id(span)]) for group in found if len(group) > 1]
    return sorted(groups, key=lambda group: order[id(group[0])])


def _mark_overlap(number: int, spans: Sequence[_Span]) -> None:
    base = min(span.low for span in spans)
    base -= base % ALIGNMENT  # every element then lies as aligned in the slab as it did in memory
    for span in spans:
        span.leaf.facts["shares"] = [number, span.first - base, byte_strides(span.leaf.value)]


def byte_strides(value: Value) -> list[int]:
    """Return the strides of a tensor or array in bytes."""
    if isinstance(value, np.ndarray):
        return list(value.strides)
    return [stride * value.element_size() for stride in value.stride()]


def slab_name(number: int) -> str:
    """Return the name under which the memory of one group of overlapping views is stored; no path looks like it."""
    return f"~shared/{number}"


def slabs(leaves: Sequence[Leaf]) -> dict[str, arrays.Array]:
    """Copy the memory under each group of overlapping views, gaps as zeros."""
    groups: dict[int, list[Leaf]] = {}
    for leaf in leaves:
        if "shares" in leaf.facts:
            groups.setdefault(leaf.facts["shares"][0], []).append(leaf)
    return {slab_name(number): _slab(members) for number, members in groups.items()}


def _slab(members: Sequence[Leaf]) -> arrays.Array:
    size = max(_end(leaf) for leaf in members)
    slab = np.zeros(-(-size // ALIGNMENT) * ALIGNMENT, np.uint8)
    for leaf in members:
        target = view_of(leaf.node, slab)
        if isinstance(target, np.ndarray):
            target[...] = leaf.value
        else:
            from samerun.state import tensors

            tensors.put(target, leaf.value)  # type: ignore[arg-type]
    return slab


def _end(leaf: Leaf) -> int:
    _, offset, strides = leaf.facts["shares"]
    shape = leaf.facts["shape"]
    reach = sum((length - 1) * stride for length, stride in zip(shape, strides, strict=True) if stride > 0)
    itemsize = leaf.value.itemsize
    return int(offset + reach + itemsize)


def view_of(node: dict[str, Any], slab: arrays.Array) -> Value:
    """Return the tensor or array that a node with `shares` describes, as a view of its slab."""
    ((tag, facts),) = node.items()
    _, offset, strides = facts["shares"]
    if tag == "array":
        return arrays.view(slab, facts["dtype"], facts["shape"], offset, strides)
    from samerun.state import tensors

    return tensors.view(slab, facts["dtype"], facts["shape"], offset, strides)
