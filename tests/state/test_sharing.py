"""Aliasing survives: one tensor twice is one tensor, and writing through one view shows in those that overlap it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from samerun.errors import DamageError
from samerun.state.digest import digest_leaves, digest_tree
from samerun.state.join import unpack
from samerun.state.packed import Packed
from samerun.state.tree import host_copy, pack


def restored(tree: Any) -> Any:
    return unpack(host_copy(pack(tree)))


def test_a_tensor_that_stands_twice_is_stored_once_and_comes_back_as_one() -> None:
    tied = torch.arange(3.0)
    packed = pack({"a": tied, "b": [tied]})
    assert list(packed.tensors) == ["a"]
    back = restored({"a": tied, "b": [tied]})
    assert back["a"] is back["b"][0]


def test_two_views_that_are_equal_in_every_respect_count_as_one_tensor() -> None:
    base = torch.arange(6.0)
    assert pack([base[1:4], base[1:4]]).structure[1] == {"same": "0"}


def test_writing_through_one_overlapping_view_shows_in_the_others() -> None:
    base = torch.arange(12.0).reshape(3, 4)
    back = restored({"row": base[1], "column": base[:, 2], "whole": base})
    back["row"][2] = 100
    assert back["column"][1] == 100 and back["whole"][1, 2] == 100
    assert torch.equal(back["whole"][0], base[0])


def test_views_of_other_dtypes_over_one_memory_stay_views() -> None:
    base = torch.arange(4, dtype=torch.int32)
    back = restored({"ints": base, "bytes": base.view(torch.uint8)[1:]})
    back["ints"][0] = -1
    assert back["bytes"].tolist()[:3] == [255, 255, 255]


def test_a_tensor_over_the_memory_of_an_array_stays_so() -> None:
    array = np.arange(4.0)
    back = restored({"array": array, "tensor": torch.from_numpy(array)})
    back["array"][3] = 7
    assert back["tensor"][3] == 7


def test_reversed_and_strided_arrays_over_one_memory_stay_so() -> None:
    array = np.arange(10)
    back = restored([array, array[::-1], array[1:9:3]])
    back[0][1] = 50
    assert back[1][8] == 50 and back[2][0] == 50


def test_pieces_of_one_storage_that_do_not_overlap_are_independent() -> None:
    first, second = torch.arange(8.0).chunk(2)
    packed = pack({"a": first, "b": second})
    assert list(packed.tensors) == ["a", "b"] and "shares" not in str(packed.structure)


def test_a_small_view_of_a_large_storage_stores_only_itself() -> None:
    assert pack(torch.zeros(10_000)[3:5]).nbytes == 8


def test_tied_and_untied_tensors_of_equal_value_have_different_digests() -> None:
    tensor = torch.ones(2)
    tied, untied = {"a": tensor, "b": tensor}, {"a": tensor, "b": tensor.clone()}
    assert digest_tree(tied) != digest_tree(untied)
    assert digest_leaves(tied) == digest_leaves(untied)


def test_sharing_does_not_depend_on_where_the_memory_lies() -> None:
    def overlapping() -> dict[str, torch.Tensor]:
        base = torch.arange(6.0)
        return {"a": base[:4], "b": base[2:]}

    keep = [overlapping() for _ in range(5)]
    assert len({digest_tree(tree) for tree in keep}) == 1
    assert digest_tree(restored(keep[0])) == digest_tree(keep[0])


def test_empty_tensors_never_share() -> None:
    empty = torch.zeros(0)
    assert pack([empty, empty]).structure[1] != {"same": "0"}


@pytest.mark.parametrize("shares", [[0, 0, [400]], [0, 64, [4]], [0, -4, [4]], [1, 0, [4]], [0, 0, []], "x"])
def test_a_view_beyond_its_memory_is_damage(shares: Any) -> None:
    for tag, dtype in (("tensor", "float32"), ("array", "<f4")):
        node = {tag: {"at": "", "dtype": dtype, "shape": [4], "shares": shares}}
        with pytest.raises(DamageError):
            unpack(Packed(node, {"~shared/0": np.zeros(32, np.uint8)}))
