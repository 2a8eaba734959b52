"""The throw-away step that lists ALL operations without a deterministic kernel, with call sites."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import pytest
import torch
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from samerun.tiers.census import Finding, census
from samerun.tiers.enforce import enforce


@pytest.fixture(autouse=True)
def put_back() -> Iterator[None]:
    threads = torch.get_num_threads()
    yield
    enforce("fast", threads)


def pool_and_back(x: torch.Tensor) -> torch.Tensor:
    pooled, indices = functional.max_pool2d(x, 2, return_indices=True)
    return functional.max_unpool2d(pooled, indices, 2)


def put() -> torch.Tensor:
    return torch.zeros(4).put_(torch.tensor([1]), torch.tensor([5.0]))


def line_of(function: object, text: str) -> int:
    lines, first = inspect.getsourcelines(function)  # type: ignore[arg-type]
    return first + next(index for index, line in enumerate(lines) if text in line)


def step() -> None:
    weight = torch.ones(1, 1, 4, 4, requires_grad=True)
    put()
    pool_and_back(weight * 2).sum().backward()
    pool_and_back(weight)


def test_all_operations_are_listed_once_for_each_place_in_order() -> None:
    found = census(step)
    assert [finding.op for finding in found] == ["aten::put_", "aten::max_unpool2d"]


def test_the_call_site_is_the_users_line() -> None:
    found = {finding.op: finding.where for finding in census(step)}
    assert found["aten::put_"].endswith(f"tiers/test_census.py:{line_of(put, 'put_')}")
    assert found["aten::max_unpool2d"].endswith(f"test_census.py:{line_of(pool_and_back, 'max_unpool2d')}")


def test_an_operation_recomputed_in_the_backward_is_placed_at_its_forward_line() -> None:
    def recomputed() -> None:
        weight = torch.ones(1, 1, 4, 4, requires_grad=True)
        checkpoint(pool_and_back, weight * 1, use_reentrant=False).sum().backward()  # type: ignore[no-untyped-call]

    (found,) = census(recomputed)
    assert found.where.endswith(f"test_census.py:{line_of(pool_and_back, 'max_unpool2d')}")


def test_a_substitute_is_named_where_one_is_known() -> None:
    assert all(finding.substitute and finding.substitute in finding.line() for finding in census(step))


def test_the_step_computes_what_it_would_have_computed() -> None:
    results: list[torch.Tensor] = []
    census(lambda: results.append(put()))
    assert results[0].tolist() == [0.0, 5.0, 0.0, 0.0]


def test_a_step_of_deterministic_kernels_has_no_findings() -> None:
    layer = torch.nn.Linear(4, 2)
    assert census(lambda: layer(torch.ones(3, 4)).sum().backward()) == []


def test_an_excepted_operation_is_not_listed() -> None:
    enforce("exact", exact_except=["aten::put_"])
    assert [finding.op for finding in census(step)] == ["aten::max_unpool2d"]


@pytest.mark.parametrize("is_strict", [True, False])
def test_flags_are_as_before_also_when_the_step_raises(is_strict: bool) -> None:
    torch.use_deterministic_algorithms(is_strict)

    def broken() -> None:
        put()
        raise ValueError("the model is broken")

    with pytest.raises(ValueError, match="the model is broken"):
        census(broken)
    assert torch.are_deterministic_algorithms_enabled() is is_strict
    assert not torch.is_anomaly_enabled()


def test_other_runtime_errors_pass_through() -> None:
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        census(lambda: (torch.ones(2, 3) @ torch.ones(2, 3), None)[1])


def test_a_finding_without_a_substitute_is_one_line() -> None:
    assert Finding("aten::x", "net.py:3", "", None).line() == "aten::x at net.py:3"
