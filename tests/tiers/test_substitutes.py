"""What to use instead, and that the substitutes that run on a CPU compute the same."""

from __future__ import annotations

import torch
from torch.nn import functional

from samerun.tiers.strict import OFF, strictly
from samerun.tiers.substitutes import SUBSTITUTES, substitute


def test_backward_operations_and_overloads_are_found_by_their_forward() -> None:
    assert substitute("aten::upsample_bilinear2d_backward.grad_input") == SUBSTITUTES["aten::upsample_bilinear2d"]
    assert substitute("aten::cumsum.out") == SUBSTITUTES["aten::cumsum"]


def test_nothing_is_invented_for_an_unknown_operation() -> None:
    assert substitute("aten::something_new") is None


def test_every_name_is_an_operation_of_torch() -> None:
    assert [name for name in SUBSTITUTES if not hasattr(torch.ops.aten, name.removeprefix("aten::"))] == []


def test_cumsum_is_a_product_with_a_triangle() -> None:
    x = torch.arange(6.0)
    assert torch.equal(x.cumsum(0), torch.ones(6, 6).tril() @ x)


def test_bincount_with_weights_is_an_index_add() -> None:
    x, weights = torch.tensor([0, 2, 2]), torch.tensor([1.0, 2.0, 3.0])
    assert torch.equal(torch.bincount(x, weights), torch.zeros(3).index_add_(0, x, weights))


def test_reflection_is_a_concatenation_of_flips() -> None:
    x, n = torch.arange(6.0).view(1, 1, 6), 2
    built = torch.cat([x[..., 1 : n + 1].flip(-1), x, x[..., -n - 1 : -1].flip(-1)], -1)
    assert torch.equal(functional.pad(x, (n, n), mode="reflect"), built)


def test_unpooling_is_an_index_put() -> None:
    x = torch.arange(16.0).view(1, 1, 4, 4)
    pooled, indices = functional.max_pool2d(x, 2, return_indices=True)
    built = torch.zeros(16).index_put_((indices.flatten(),), pooled.flatten()).view(1, 1, 4, 4)
    with strictly(OFF):  # a run of another test in this process may have set it
        assert torch.equal(functional.max_unpool2d(pooled, indices, 2), built)
