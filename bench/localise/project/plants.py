"""The faults of the plain loop: each a function that changes the world at one point of one step.

`world` is the loop's own namespace. A fault is chosen by name, step and layer on the command line, so that making the
run again makes the fault again. Points, in order: start, batch, loss, backward, gradients, update, end, log.
"""

import os
import random
import signal
import time

import numpy as np
import torch
from torch.nn.functional import cross_entropy

FAULTS = {}


def at(point):
    """Plant the function below at a point; its name is the fault's."""

    def plant(function):
        FAULTS[function.__name__.replace("_", "-")] = (point, function)
        return function

    return plant


def fire(point, world):
    """Run the chosen fault, where this is its point and its step (or the step after, for what it must put back)."""
    planted_at, function = FAULTS.get(world.chosen.fault, (None, None))
    if planted_at == point and world.index == world.chosen.at:
        function(world)


class Chance(torch.autograd.Function):
    """The identity, with a gradient that depends on what the operating system draws."""

    @staticmethod
    def forward(ctx, x):
        return x * 1  # line: chance

    @staticmethod
    def backward(ctx, gradient):
        return gradient * (1 + int.from_bytes(os.urandom(3), "big") / 2**24)  # line: os.urandom


# -- the numbers of the weights --------------------------------------------------------------------------------------


@at("start")
def flip(world):
    world.layer.weight.data[0, 0].neg_()  # line: flip


@at("end")
def flip_late(world):
    world.layer.weight.data[0, 0].neg_()  # line: flip late


@at("end")
def swap_rows(world):
    world.layer.weight.data[:2] = world.layer.weight.data[:2].flip(0)  # line: swap rows


@at("end")
def one_ulp(world):
    cell = world.layer.weight.data[0, 0]  # line: one ulp
    cell.copy_(torch.nextafter(cell, cell + 1))  # line: one ulp


@at("end")
def zero(world):
    world.net.spare.fill_(0.0)  # line: zero


@at("end")
def minus_zero(world):
    world.net.spare.fill_(-0.0)  # line: zero -0.0


@at("end")
def nan(world):
    world.net.spare.view(torch.int32).fill_(0x7FC00000)  # line: nan


@at("end")
def nan_payload(world):
    world.net.spare.view(torch.int32).fill_(0x7FC00001)  # line: nan payload


@at("end")
def dtype(world):
    world.net.spare = world.net.spare.double()  # line: dtype


@at("start")
def through_numpy(world):
    world.layer.weight.detach().numpy()[0, 0] *= -1  # line: through numpy


@at("end")
def through_numpy_late(world):
    world.layer.weight.detach().numpy()[0, 0] *= -1  # line: through numpy late


@at("end")
def load_state(world):
    world.net.load_state_dict({**world.net.state_dict(), **world.average.state_dict()})  # line: load state


@at("start")
def untie(world):
    world.net.third.weight = torch.nn.Parameter(world.net.third.weight.detach().clone())  # line: untie


@at("end")
def buffer(world):
    world.net.norm.running_mean.add_(0.125)  # line: buffer


# -- randomness ------------------------------------------------------------------------------------------------------


@at("start")
def draw_stream(world):
    world.more_draws = True


@at("start")
def draw_stream_torch(world):
    torch.rand(1, generator=world.step.stream("extra").torch("cpu"))  # line: draw stream torch


@at("start")
def draw_python(world):
    random.random()


@at("start")
def draw_numpy(world):
    np.random.rand()


@at("start")
def draw_torch(world):
    torch.rand(1)  # line: draw torch


@at("start")
def mask_order(world):
    world.net.drop(torch.ones(3))  # line: mask order


# -- the batch -------------------------------------------------------------------------------------------------------


@at("start")
def swap_batches(world):
    world.held = next(world.batches)  # line: swap batches


@at("batch")
def truncate(world):
    world.x, world.y = world.x[:7], world.y[:7]  # line: truncate


@at("batch")
def permute_labels(world):
    world.y = world.y.roll(1)  # line: permute labels


@at("batch")
def one_item(world):
    world.x[3].mul_(1.5)  # line: one item


# -- what is computed ------------------------------------------------------------------------------------------------


@at("start")
def ulp_forward(world):
    world.layer.wrong_forward = True


@at("start")
def ulp_backward(world):
    world.layer.wrong_backward = True


@at("start")
def ulp_loss(world):
    world.wrong_loss = True


@at("start")
def dropout_share(world):
    world.net.drop.p = 0.5


@at("start")
def norm_momentum(world):
    world.net.norm.momentum = 0.5


@at("start")
def eval_left_on(world):
    world.net.eval()


@at("start")
def turned_round(world):
    world.net.is_turned_round = True


@at("start")
def autocast(world):
    world.dtype = torch.bfloat16


@at("loss")
def smoothing(world):
    world.loss = cross_entropy(world.outputs, world.y, label_smoothing=0.1)  # line: smoothing


@at("loss")
def chance(world):
    world.loss = Chance.apply(world.loss)


@at("loss")
def clock(world):
    world.loss = world.loss * (1 + time.time_ns() % 1_000_000 * 1e-7)  # line: clock


@at("start")
def threads(world):
    torch.set_num_threads(2)


# -- gradients -------------------------------------------------------------------------------------------------------


@at("backward")
def accumulate_again(world):
    world.loss.backward(retain_graph=True)  # line: accumulate again


@at("start")
def zero_grad_forgotten(world):
    world.keeps_gradients = True


@at("start")
def clip_harder(world):
    world.clip = 0.125


@at("gradients")
def scale_gradient(world):
    world.layer.weight.grad.mul_(2)  # line: scale gradient


@at("start")
def hook_gradient(world):
    world.hook = world.layer.weight.register_hook(lambda gradient: gradient * 2)  # line: hook gradient


@at("start")
def freeze(world):
    world.layer.weight.requires_grad_(False)


# -- the optimizer ---------------------------------------------------------------------------------------------------


def slot(world):
    return world.optim.state[world.layer.weight]


@at("gradients")
def moment(world):
    slot(world)["exp_avg"].zero_()  # line: moment


@at("end")
def moment_late(world):
    slot(world)["exp_avg"].zero_()  # line: moment late


@at("gradients")
def step_count(world):
    slot(world)["step"].add_(1)  # line: step count


@at("start")
def rate_early(world):
    world.schedule.step()


@at("end")
def rate_late(world):
    world.schedule.step()


@at("start")
def betas(world):
    world.optim.param_groups[0]["betas"] = (0.8, 0.999)


@at("start")
def decay_bias(world):
    world.optim.param_groups[1]["weight_decay"] = 0.01


@at("update")
def skip_update(world):
    world.is_skipped = True


@at("update")
def average_skipped(world):
    world.is_averaged = False


@at("gradients")
def kill(world):
    os.kill(os.getpid(), signal.SIGKILL)


# -- what is logged --------------------------------------------------------------------------------------------------


@at("log")
def logged_number(world):
    world.numbers["rate"] *= 2


@at("log")
def metric_renamed(world):
    world.numbers["speed"] = world.numbers.pop("rate")


@at("log")
def metric_extra(world):
    world.numbers["extra"] = 1.0
