"""Gradients as tracked state."""

import torch

from samerun.run.gradients import Gradients


def test_gradients_come_back_bit_for_bit_and_none_stays_none() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Linear(2, 1))
    model[0](torch.randn(4, 3)).sum().backward()
    tracked = Gradients(model)
    stored = {name: None if grad is None else grad.clone() for name, grad in tracked.state_dict().items()}
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    tracked.load_state_dict(stored)
    assert model[1].weight.grad is None
    assert torch.equal(model[0].weight.grad, stored["0.weight"])
