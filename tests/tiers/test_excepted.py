"""Names of operations in `exact_except`, and what lifting strict mode for them leaves untouched."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from samerun.errors import ConfigError
from samerun.tiers.excepted import ExceptedOperations, check_operations


@pytest.fixture(autouse=True)
def strict() -> Iterator[None]:
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


def put() -> torch.Tensor:
    return torch.zeros(4).put_(torch.tensor([1]), torch.tensor([5.0]))


@pytest.mark.parametrize("name", ["aten::cumsum", "aten::cumsum.out", "aten::put_"])
def test_operations_are_named_with_or_without_overload(name: str) -> None:
    check_operations([name])


def test_an_operation_of_another_library_can_be_excepted() -> None:
    library = torch.library.Library("samerun_tests", "DEF")  # type: ignore[no-untyped-call]
    library.define("put(Tensor x) -> Tensor")  # type: ignore[no-untyped-call]
    library.impl("put", lambda x: x.clone().put_(torch.tensor([1]), torch.tensor([5.0])), "CPU")  # type: ignore[no-untyped-call]
    excepted = ExceptedOperations(["samerun_tests::put"])
    try:
        assert torch.ops.samerun_tests.put(torch.zeros(3)).tolist() == [0.0, 5.0, 0.0]
        assert excepted.counts == {"samerun_tests::put": 1}
    finally:
        excepted.undo()
        library._destroy()  # type: ignore[no-untyped-call]


def test_all_unknown_names_are_reported_together_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match="SR-TIER-003") as caught:
        check_operations(["aten::cumsam", "put_", "aten::cumsum.nope", "nowhere::x", "aten::put_"])
    assert len(caught.value.evidence) == 4
    assert "aten::cumsum" in caught.value.evidence[0]


def test_an_excepted_operation_keeps_its_result_and_its_gradient() -> None:
    torch.use_deterministic_algorithms(False)
    x = torch.ones(3, requires_grad=True)
    wanted = torch.zeros(4).put_(torch.tensor([0, 2, 3]), x * 2)
    torch.use_deterministic_algorithms(True)
    excepted = ExceptedOperations(["aten::put_"])
    try:
        found = torch.zeros(4).put_(torch.tensor([0, 2, 3]), x * 2)
        found.sum().backward()
    finally:
        excepted.undo()
    assert torch.equal(found, wanted) and x.grad is not None and x.grad.tolist() == [2.0, 2.0, 2.0]


def test_undo_gives_the_operation_its_own_kernel_back() -> None:
    excepted = ExceptedOperations(["aten::put_"])
    put()
    excepted.undo()
    with pytest.raises(RuntimeError, match="put_ does not have"):
        put()
    assert excepted.counts == {"aten::put_": 1}


def test_an_exception_inside_an_excepted_operation_puts_strict_mode_back() -> None:
    excepted = ExceptedOperations(["aten::put_"])
    try:
        with pytest.raises((RuntimeError, IndexError)):
            torch.zeros(4).put_(torch.tensor([99]), torch.tensor([5.0]))
        assert torch.are_deterministic_algorithms_enabled()
    finally:
        excepted.undo()
