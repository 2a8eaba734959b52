"""Old gradients that a step adds to or updates from are told from those that it clears."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from samerun.run.carried.gradients import GradientUse, gradients_token


def backward(model: torch.nn.Module) -> None:
    model(torch.ones(1, 2)).sum().backward()


@pytest.fixture
def model() -> torch.nn.Module:
    made = torch.nn.Linear(2, 1)
    backward(made)
    return made


def used(model: torch.nn.Module, body: Callable[[torch.optim.Optimizer], object]) -> set[str]:
    optim = torch.optim.SGD(model.parameters(), 0.1)
    use = GradientUse({"m": model})
    body(optim)
    use.end()
    return use.used


def test_adding_to_old_gradients_uses_them(model: torch.nn.Module) -> None:
    assert used(model, lambda _: backward(model)) == {"m"}


def test_updating_from_old_gradients_uses_them(model: torch.nn.Module) -> None:
    assert used(model, lambda optim: optim.step()) == {"m"}


@pytest.mark.parametrize("to_none", [True, False])
def test_clearing_them_first_does_not(model: torch.nn.Module, to_none: bool) -> None:
    def body(optim: torch.optim.Optimizer) -> None:
        optim.zero_grad(set_to_none=to_none)
        backward(model)
        backward(model)
        optim.step()

    assert used(model, body) == set()


def test_a_closure_that_clears_them_does_not(model: torch.nn.Module) -> None:
    def body(optim: torch.optim.Optimizer) -> None:
        def closure() -> float:
            optim.zero_grad()
            backward(model)
            return 0.0

        optim.step(closure)

    assert used(model, body) == set()


def test_no_hook_is_left_behind(model: torch.nn.Module) -> None:
    used(model, lambda _: None)
    assert all(not parameter._backward_hooks for parameter in model.parameters())


def test_no_gradient_and_zero_are_one(model: torch.nn.Module) -> None:
    full = gradients_token(model)
    model.zero_grad(set_to_none=False)
    zero = gradients_token(model)
    model.zero_grad()
    assert full != zero == gradients_token(model) == ("none", "none")
