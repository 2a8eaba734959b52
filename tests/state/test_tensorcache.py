"""Cached addresses: whatever can make one wrong is seen before it is read."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from samerun.state import tensorcache
from samerun.state.digest import digest_tree, header, structure_bytes
from samerun.state.tensorcache import TensorCache
from samerun.state.tree import encode


def cache_of(live: list[torch.Tensor]) -> tuple[TensorCache, bytes]:
    structure, found = encode([tensor.detach() for tensor in live])
    return TensorCache(live, found), header(structure_bytes(structure))


def new_data(p: torch.Tensor) -> None:
    p.data = p.data.clone()


def transposed(p: torch.Tensor) -> None:
    p.data = p.data.t()


def reshaped(p: torch.Tensor) -> None:
    p.data = p.data.view(4, 3)


def other_dtype(p: torch.Tensor) -> None:
    p.data = p.data.view(torch.int32)


def part(p: torch.Tensor) -> None:
    p.data = p.data[:2]


def shared_memory(p: torch.Tensor) -> None:
    p.share_memory_()


def set_to(p: torch.Tensor) -> None:
    with torch.no_grad():
        p.set_(torch.zeros(3, 4))  # type: ignore[call-overload]


def grown_storage(p: torch.Tensor) -> None:
    p.untyped_storage().resize_(1 << 20)


CHANGES = [new_data, transposed, reshaped, other_dtype, part, shared_memory, set_to, grown_storage]


@pytest.mark.parametrize("slow", [False, True], ids=["guards", "is_set_to"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_memory_shape_strides_or_dtype_is_seen(
    change: Callable[[torch.Tensor], None], slow: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if slow:
        monkeypatch.setattr("torch._C._dynamo.guards.TensorGuards", None)
    live = [torch.arange(12.0).reshape(3, 4), torch.zeros(2)]
    cache, _ = cache_of(live)
    assert cache.holds()
    change(live[0])
    assert not cache.holds()


def test_a_change_of_values_is_read_through_the_cache() -> None:
    live = [torch.arange(12.0), torch.zeros(2), torch.tensor(1.0), torch.zeros(0)]
    cache, head = cache_of(live)
    live[0][5] = 9
    live[2].add_(1)
    assert cache.holds() and cache.digest(head) == digest_tree(live)


def test_tensors_that_must_be_gathered_are_gathered_each_time() -> None:
    base = torch.arange(12.0).reshape(3, 4)
    cache, head = cache_of([base.t(), torch.ones(2)])
    base[1, 2] = 100
    assert cache.digest(head) == digest_tree([base.t(), torch.ones(2)])


def test_no_tensors_hold_for_ever() -> None:
    cache, head = cache_of([])
    assert cache.holds() and cache.digest(head) == digest_tree([]) and cache.nbytes == 0


def test_the_public_check_agrees_with_the_fast_one() -> None:
    live = (torch.zeros(2), torch.zeros(3, 4).t())
    twins = tuple(tensor.detach() for tensor in live)
    assert tensorcache.have_same_shapes(live, twins)
    assert not tensorcache.have_same_shapes((torch.zeros(2), live[1]), twins)
