"""Trees: containers keep their type, order and keys; what is not on the closed list is refused with path and type."""

from __future__ import annotations

import json
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from typing import Any

import numpy as np
import pytest
import torch

from samerun.errors import UsageError
from samerun.state.digest import digest_tree
from samerun.state.join import unpack
from samerun.state.packed import FACTORIES, Packed
from samerun.state.tree import host_copy, pack


def zoo() -> dict[Any, Any]:
    base = torch.arange(12.0).reshape(3, 4)
    return {
        "tensor": base, "again": base, "views": [base[0], base[:, 1]], 3: 1, "3": 1.0,
        "scalar": np.float32(2), "nan": float("nan"), "zero": -0.0, "bytes": b"x" * 3000, "short": b"\x00\xff",
        "ordered": OrderedDict(b=1, a=2), "counter": Counter({5: 2, 7: 1}), "deque": deque([1, [2]], 4),
        "default": defaultdict(list, {"k": [1]}), "half": torch.ones(3, dtype=torch.bfloat16), "0d": torch.tensor(3.0),
        "empty": torch.zeros(0, 3), "none": None, "tuple": (1, (2.5, "x")), "size": torch.Size([1, 2]),
        "dtype": torch.float8_e5m2, "device": torch.device("cpu"), "big": 2**80, "complex": 1 - 0.0j, "bool": True,
        "module": torch.nn.BatchNorm1d(2).state_dict(), "array": np.arange(6, dtype=">i2").reshape(2, 3).T,
    }  # fmt: skip


def test_a_tree_of_everything_comes_back_equal_to_the_bit() -> None:
    tree = zoo()
    back = unpack(host_copy(pack(tree)))
    assert digest_tree(back) == digest_tree(tree)
    assert list(back) == list(tree)
    assert [type(value) for value in back.values()] == [type(value) for value in tree.values()]


def test_the_structure_is_strict_json() -> None:
    packed = pack(zoo())
    assert json.loads(json.dumps(packed.structure, allow_nan=False)) == packed.structure
    assert json.loads(json.dumps(packed.layout, allow_nan=False)) == packed.layout


def test_packing_copies_no_tensor() -> None:
    tensor = torch.zeros(3)
    assert pack({"t": tensor}).tensors["t"] is tensor


def test_a_host_copy_does_not_follow_later_changes() -> None:
    tree = {"t": torch.zeros(3), "a": np.zeros(3), "views": torch.zeros(4).expand(2, 4)}
    held = host_copy(pack(tree))
    tree["t"][0], tree["a"][0] = 1, 1
    assert unpack(held)["t"][0] == 0 and unpack(held)["a"][0] == 0


def test_a_host_copy_reuses_memory_that_is_given() -> None:
    packed = pack({"t": torch.arange(3.0), "a": np.zeros(2)})
    first = host_copy(packed)
    packed.tensors["t"][0] = 9  # type: ignore[index]
    second = host_copy(packed, first.tensors)
    assert second.tensors["t"] is first.tensors["t"] and unpack(second)["t"][0] == 9


@pytest.mark.parametrize("name", sorted(FACTORIES))
def test_a_defaultdict_of_every_known_factory_comes_back(name: str) -> None:
    factory = FACTORIES[name]
    back = unpack(pack(defaultdict(factory, {1: "x"})))
    assert type(back) is defaultdict and back.default_factory is factory and dict(back) == {1: "x"}


def test_a_defaultdict_that_calls_other_code_is_refused() -> None:
    with pytest.raises(UsageError, match="SR-STATE-004"):
        pack({"d": defaultdict(lambda: 1)})


Point = namedtuple("Point", "x y")


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (object(), "object"),
        ({1, 2}, "sorted"),
        (Point(1, 2), "subclass of tuple"),
        (Text("x"), "subclass of str"),
        (print, "code"),
        (bytearray(2), "bytearray"),
        (slice(1), "slice"),
        (range(3), "range"),
        (torch.nn.Linear(1, 1), "Linear"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_that_is_not_on_the_list_is_refused_with_path_type_and_advice(value: Any, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        pack({"optim": {"state": [0, value]}})
    assert caught.value.code == "SR-STATE-001"
    assert "optim/state/1" in caught.value.what
    assert words in str(caught.value)


def test_a_list_that_holds_itself_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(UsageError, match="SR-STATE-005"):
        pack(loop)


def test_module_versions_come_back_with_the_state_dict() -> None:
    state = torch.nn.Sequential(torch.nn.BatchNorm1d(2)).state_dict()
    back = unpack(pack({"inner": state}))["inner"]
    assert back._metadata == state._metadata  # type: ignore[attr-defined]
    assert pack(state).is_module and not pack({"inner": state}).is_module and not pack(OrderedDict()).is_module


def test_module_versions_are_no_part_of_the_digest() -> None:
    state = torch.nn.BatchNorm1d(2).state_dict()
    assert digest_tree(state) == digest_tree(OrderedDict(state.items()))


def test_nbytes_counts_the_tensors() -> None:
    shared = torch.zeros(10)
    assert pack({"a": shared, "b": shared, "c": np.zeros(3)}).nbytes == 64
    assert Packed(None).nbytes == 0
