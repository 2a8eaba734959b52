"""Digests: every change that can change a run shows, and nothing that cannot does."""

from __future__ import annotations

import struct
from collections import Counter, OrderedDict, defaultdict
from typing import Any

import numpy as np
import pytest
import torch

from samerun.base.canon import canonical_bytes
from samerun.base.digest import xxh3
from samerun.state.digest import (
    digest_both,
    digest_components,
    digest_leaves,
    digest_tree,
    header,
    structure_bytes,
)
from samerun.state.tree import pack

BASE = [0.0, 1.0, -2.5, 3.0, 1.5, 6.0]
NAN_A, NAN_B = (struct.unpack("<f", struct.pack("<I", bits))[0] for bits in (0x7FC00000, 0x7FC00001))


def state() -> dict[str, Any]:
    return {"w": torch.tensor(BASE).reshape(3, 2), "n": np.array(BASE), "lr": 0.1, "steps": [1, 2], "name": "x"}


def changed(**values: Any) -> dict[str, Any]:
    return state() | values


def with_bits(bits: int) -> torch.Tensor:
    tensor = torch.tensor(BASE).reshape(3, 2)
    tensor.view(torch.int32)[1, 1] = bits
    return tensor


ONE_ULP = torch.tensor(BASE).reshape(3, 2)
ONE_ULP[2, 0] = float(np.nextafter(np.float32(1.5), np.float32(2)))
SIGN = torch.tensor(BASE).reshape(3, 2)
SIGN[1, 0] = 2.5
MINUS_ZERO = torch.tensor(BASE).reshape(3, 2)
MINUS_ZERO[0, 0] = -0.0

CHANGES = {
    "sign flip": changed(w=SIGN),
    "two rows swapped": changed(w=torch.tensor(BASE).reshape(3, 2)[[1, 0, 2]]),
    "one ulp": changed(w=ONE_ULP),
    "minus zero": changed(w=MINUS_ZERO),
    "a NaN": changed(w=with_bits(0x7FC00000)),
    "another NaN": changed(w=with_bits(0x7FC00001)),
    "signalling NaN": changed(w=with_bits(0x7F800001)),
    "dtype": changed(w=torch.tensor(BASE).reshape(3, 2).to(torch.bfloat16)),
    "dtype of equal bytes": changed(w=torch.tensor(BASE).reshape(3, 2).view(torch.int32)),
    "shape": changed(w=torch.tensor(BASE).reshape(2, 3)),
    "transposed": changed(w=torch.tensor(BASE).reshape(3, 2).t()),
    "array, not tensor": changed(w=np.array(BASE, np.float32).reshape(3, 2)),
    "array dtype": changed(n=np.array(BASE).view(np.int64)),
    "array byte order": changed(n=np.array(BASE).astype(">f8")),
    "float of the plain values": changed(lr=0.1 + 2**-56),
    "number to text": changed(lr="0.1"),
    "order of a list": changed(steps=[2, 1]),
    "list to tuple": changed(steps=(1, 2)),
    "list to array": changed(steps=np.array([1, 2])),
    "int to bool": changed(steps=[True, 2]),
    "int to float": changed(steps=[1.0, 2]),
    "int to text": changed(steps=["1", 2]),
    "int to NumPy": changed(steps=[np.int64(1), 2]),
    "one more key": changed(extra=None),
    "order of keys": dict(reversed(state().items())),
    "kind of dict": OrderedDict(state()),
    "other kind of dict": defaultdict(None, state()),
    "tensor moved to another key": {**state(), "w": state()["n"], "n": state()["w"]},
}


def test_every_change_that_matters_has_a_digest_of_its_own() -> None:
    digests = {name: digest_tree(tree) for name, tree in CHANGES.items()} | {"unchanged": digest_tree(state())}
    assert len(set(digests.values())) == len(digests)


@pytest.mark.parametrize("name", sorted(CHANGES))
def test_every_change_shows_in_the_leaves_or_is_one_of_structure_alone(name: str) -> None:
    structural = {"order of keys", "kind of dict", "other kind of dict"}
    assert (digest_leaves(CHANGES[name]) == digest_leaves(state())) == (name in structural)


@pytest.mark.parametrize("value", [1, "1", True, 1.0, b"1", None, [1], (1,), np.int64(1), np.array(1), torch.tensor(1)])
def test_values_that_look_alike_differ_in_tree_and_leaf(value: Any) -> None:
    others: list[Any] = [2, "2", False, 2.0, b"2", [2], (2,)]
    assert digest_tree({"k": value}) not in {digest_tree({"k": other}) for other in others}


def test_nan_payloads_of_plain_floats_show() -> None:
    values = [float("nan"), struct.unpack(">d", bytes.fromhex("7ff8000000000001"))[0], -float("nan")]
    assert len({digest_tree(value) for value in values}) == 3
    assert NAN_A != NAN_A


def test_equal_states_have_equal_digests_wherever_they_lie() -> None:
    assert digest_tree(state()) == digest_tree(state())
    assert digest_both(state()) == (digest_tree(state()), digest_leaves(state()))


def test_the_digest_is_frozen() -> None:
    tree = {"w": torch.arange(3.0), "n": np.arange(2, dtype=np.int16), 1: [0.5, None], "c": Counter({5: 1})}
    spelled = (
        b'{"dict":[["w",{"tensor":{"at":"w","dtype":"float32","shape":[3]}}],'
        b'["n",{"array":{"at":"n","dtype":"<i2","shape":[2]}}],[1,[{"float":"0.5"},null]],["c",{"counter":[[5,1]]}]]}'
    )
    body = b"samerun state 1\n%d\n%b" % (len(spelled), spelled)
    data = struct.pack("<3f2h", 0, 1, 2, 0, 1)
    assert digest_tree(tree) == xxh3(body + data)


def test_leaves_are_tensors_plain_values_and_lists_of_plain_values() -> None:
    tree = {
        "t": torch.zeros(2), "plain": [1, "x", None], "mixed": [1, torch.zeros(1)], "empty": {}, "none": None,
        "deep": {"a": (1, 2), 3: {"x/y": 1.0}}, "nested": [[1], [2]],
    }  # fmt: skip
    assert list(digest_leaves(tree)) == [
        "t", "plain", "mixed/0", "mixed/1", "empty", "none", "deep/a", "deep/3/x~1y", "nested/0", "nested/1",
    ]  # fmt: skip
    assert list(digest_leaves(torch.zeros(1))) == [""]


def test_the_leaves_of_a_module_are_called_as_torch_calls_them() -> None:
    assert list(digest_leaves(torch.nn.Linear(1, 1).state_dict())) == ["weight", "bias"]


def test_the_spelling_of_a_structure_is_canonical_json() -> None:
    structure = pack({'é\n\x7f"\\': ["x", 1, None, True, 0.5, 2**70], 5: Counter({1: 2})}).structure
    assert structure_bytes(structure) == canonical_bytes(structure)


def test_the_header_cannot_be_mistaken_for_data() -> None:
    assert header(b"[1]") == b"samerun state 1\n3\n[1]"


def test_the_digest_of_all_components_depends_on_names_and_digests_not_on_order() -> None:
    one, other = {"a": "xxh3:1", "b": "xxh3:2"}, {"a": "xxh3:2", "b": "xxh3:1"}
    assert digest_components(one) == digest_components(dict(reversed(one.items()))) != digest_components(other)
    assert digest_components(one) == xxh3(canonical_bytes(one))
