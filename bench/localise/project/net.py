"""The network of the benchmark: four layers, each of which can be one unit in the last place off, both ways."""

import torch
from torch import nn


class Ulp(torch.autograd.Function):
    """The identity. Told to, it gives its input, or the gradient, one unit in the last place too high."""

    @staticmethod
    def forward(ctx, x, wrong_forward, wrong_backward):
        ctx.wrong_backward = wrong_backward
        return torch.nextafter(x, x + 1) if wrong_forward else x * 1  # line: ulp forward

    @staticmethod
    def backward(ctx, gradient):
        if ctx.wrong_backward:
            return torch.nextafter(gradient, gradient + 1), None, None  # line: ulp backward
        return gradient * 1, None, None


class Layer(nn.Linear):
    """A linear layer whose arithmetic can be made wrong."""

    wrong_forward = wrong_backward = False

    def forward(self, x):
        return Ulp.apply(super().forward(x), self.wrong_forward, self.wrong_backward)  # line: layer


class Net(nn.Module):
    """Three hidden layers of one width and a head; `spare` is held and never used."""

    def __init__(self, width=16, tied=False):
        super().__init__()
        self.first = Layer(8, width)
        self.norm = nn.BatchNorm1d(width)
        self.second = Layer(width, width)
        self.drop = nn.Dropout(0.2)
        self.third = Layer(width, width)
        if tied:
            self.third.weight = self.second.weight
        self.head = Layer(width, 4)
        self.register_buffer("spare", torch.zeros(4))
        self.is_turned_round = False

    def forward(self, x):
        hidden = torch.tanh(self.norm(self.first(x)))  # line: norm
        middle = (self.third, self.second) if self.is_turned_round else (self.second, self.third)
        hidden = self.drop(torch.tanh(middle[0](hidden)))  # line: drop
        return self.head(torch.tanh(middle[1](hidden)))


class Average:
    """A moving average of the parameters."""

    def __init__(self, model):
        self.values = {name: value.detach().clone() for name, value in model.named_parameters()}

    @torch.no_grad()
    def update(self, model):
        for name, value in model.named_parameters():
            if name in self.values:
                self.values[name].lerp_(value, 0.1)  # line: average

    def state_dict(self):
        return dict(self.values)

    def load_state_dict(self, state):
        for name, value in state.items():
            self.values[name].copy_(value)
