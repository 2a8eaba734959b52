"""The way back believes nothing: whatever in a structure does not fit is damage with a reason, never a traceback."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from samerun.errors import DamageError
from samerun.state.digest import digest_tree
from samerun.state.join import unpack
from samerun.state.packed import Packed
from samerun.state.tree import pack

TENSOR = {"tensor": {"at": "a", "dtype": "float32", "shape": [3]}}


@pytest.mark.parametrize(
    ("structure", "tensors"),
    [
        (TENSOR, {}),
        (TENSOR, {"a": torch.zeros(4)}),
        (TENSOR, {"a": torch.zeros(3, dtype=torch.int32)}),
        (TENSOR, {"a": np.zeros(3, np.float32)}),
        ([TENSOR, TENSOR], {"a": torch.zeros(3)}),
        ({"same": "a"}, {"a": torch.zeros(3)}),
        ([{"same": "a"}, TENSOR], {"a": torch.zeros(3)}),
        ({"dict": [["k", 1], ["k", 2]]}, {}),
        ({"dict": [["k"]]}, {}),
        ({"dict": {"k": 1}}, {}),
        ({"default": ["open", []]}, {}),
        ({"deque": ["x", [1]]}, {}),
        ({"dtype": "float99"}, {}),
        ({"device": "nowhere:0"}, {}),
        ({"size": ["x"]}, {}),
        ({"tensor": {"at": "a"}}, {"a": torch.zeros(3)}),
        ({"tensor": None}, {}),
        ({"dict": [["k", {"call": "os.system"}]]}, {}),
    ],
)
def test_a_structure_that_does_not_fit_is_damage(structure: Any, tensors: dict[str, Any]) -> None:
    with pytest.raises(DamageError) as caught:
        unpack(Packed(structure, tensors))
    assert caught.value.code == "SR-STATE-020"


@pytest.mark.parametrize("strides", [[1], [1, 2, 3], [5, 1], [-1, 1], ["a", 1]])
@pytest.mark.parametrize("leaf", [torch.zeros(3, 4), np.zeros((3, 4))], ids=["tensor", "array"])
def test_strides_that_do_not_fit_the_shape_are_damage(leaf: Any, strides: list[Any]) -> None:
    packed = pack({"t": leaf})
    packed.layout["t"] = {"strides": strides}
    with pytest.raises(DamageError):
        unpack(packed)


def nodes(node: Any) -> Iterator[Any]:
    yield node
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    for child in children:
        yield from nodes(child)


@pytest.mark.parametrize("junk", [None, 0, "x", [], {}, {"float": "1.0"}, -1, 1e300])
def test_any_node_replaced_by_junk_is_damage_or_a_tree_with_another_digest(junk: Any) -> None:
    tree = {"a": torch.zeros(2, 2), "b": [np.zeros(3), 1.5, "x"], "c": (torch.zeros(2),)}
    packed, digest = pack(tree), digest_tree(tree)
    for at in range(1, len(list(nodes(packed.structure)))):
        changed = copy.deepcopy(packed.structure)
        target = list(nodes(changed))[at]
        for parent in nodes(changed):
            keys = parent if isinstance(parent, dict) else range(len(parent)) if isinstance(parent, list) else ()
            for key in list(keys):
                if parent[key] is target:
                    parent[key] = junk
        if changed == packed.structure:
            continue
        try:
            assert digest_tree(unpack(Packed(changed, packed.tensors))) != digest
        except DamageError:
            continue


def test_a_tensor_on_a_device_that_is_not_here_stays_on_the_host() -> None:
    packed = pack({"t": torch.zeros(2)})
    packed.layout["t"] = {"device": "cuda:7"}
    assert unpack(packed)["t"].device.type == "cpu"
