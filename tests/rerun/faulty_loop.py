"""A plain loop with a fault that an argument plants in step 7; arguments are no part of an identity."""

import argparse
import os

import torch
from torch.nn.functional import cross_entropy

import samerun

parser = argparse.ArgumentParser()
parser.add_argument("--fault", default="")
fault = parser.parse_args().fault


class LastBit(torch.autograd.Function):
    """The identity, with a gradient that is one unit in the last place off."""

    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        return torch.nextafter(gradient, gradient + 1) if fault == "last-bit" else gradient * 1


with samerun.start("loop", config={"rate": 0.01}, seed=7, checkpoint={"every": 5}) as run:
    generator = run.stream("data").torch("cpu")
    items, labels = torch.rand(64, 8, generator=generator), torch.randint(3, (64,), generator=generator)
    net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Dropout(0.2), torch.nn.Linear(16, 3))
    optim = torch.optim.AdamW(net.parameters(), 0.01)
    batches = run.loader((items, labels), batch_size=8)
    run.track(net=net, optim=optim, batches=batches)
    for step in run.steps(10):
        planted = fault if step.index == 7 else ""
        x, y = next(batches)
        if planted == "draw":
            torch.rand(1)
        if planted == "rate":
            optim.param_groups[0]["lr"] = 0.02
        hidden = net[:2](x)
        if step.index == 7:
            hidden = LastBit.apply(hidden)
        loss = cross_entropy(net[2:](hidden), y)
        if planted == "outside":
            net[0].weight.detach().numpy()[0, 0] += 1
        optim.zero_grad()
        loss.backward()
        if planted == "chance":
            net[3].bias.grad.mul_(2 + int.from_bytes(os.urandom(3), "big") / 2**24)
        optim.step()
        optim.param_groups[0]["lr"] = 0.01
        step.log(loss=loss)
