"""The user's parts of the supervised recipe, each of which can plant one fault at one step.

The faults are settings that are aside: they are no part of an identity, and making the run again makes them again.
"""

import os
import signal

import torch
from net import Layer
from torch import nn

from samerun.config.parts import Part
from samerun.config.schema import Table, aside
from samerun.trainers.models.init import draw_weights, fan_in, he_bound
from samerun.trainers.models.shape import Shape
from samerun.trainers.supervised.tasks.task import Task, locate

WHY = "a fault that is planted on purpose"


class PlantedTable(Table):
    """Which fault, and at which step."""

    fault: str = aside("none", WHY)
    """Its name."""
    at: int = aside(6, WHY)
    """Its step."""


class ModelTable(PlantedTable):
    """The model."""

    width: int = 16
    """Width of the hidden layers."""
    where: str = aside("third", WHY)
    """The layer that is wrong."""


class TaskTable(PlantedTable):
    """The rows and their labels."""

    path: str = "items.csv"
    """A file of numbers: eight of a row, then its label."""


class Model(nn.Module):
    """Three hidden layers and a head; it counts the steps that it was trained in."""

    def __init__(self, settings, num_outputs):
        super().__init__()
        self.settings = settings
        self.first = Layer(8, settings.width)
        self.norm = nn.BatchNorm1d(settings.width)
        self.second = Layer(settings.width, settings.width)
        self.drop = nn.Dropout(0.2)
        self.third = Layer(settings.width, settings.width)
        self.head = Layer(settings.width, num_outputs)
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        is_now = self.training and int(self.steps) == self.settings.at
        fault = self.settings.fault if is_now else "none"
        if self.training:
            self.steps.add_(1)
        layer = getattr(self, self.settings.where)
        layer.wrong_forward, layer.wrong_backward = fault == "ulp-forward", fault == "ulp-backward"
        layer.weight.requires_grad_(fault != "freeze")
        self.norm.momentum = 0.5 if fault == "norm-momentum" else 0.1
        self.drop.p = 0.5 if fault == "dropout-share" else 0.2
        self.drop.train(self.training and fault != "dropout-off")
        if fault == "flip":
            layer.weight.data[0, 0].neg_()  # line: flip
        if fault == "through-numpy":
            layer.weight.detach().numpy()[0, 0] *= -1  # line: through numpy
        if fault == "draw-torch":
            torch.rand(1)  # line: draw torch
        middle = (self.third, self.second) if fault == "turned-round" else (self.second, self.third)
        hidden = torch.tanh(self.norm(self.first(x)))  # line: norm
        if fault == "hook":
            hidden.register_hook(lambda gradient: gradient * 2)  # line: hook
        hidden = self.drop(torch.tanh(middle[0](hidden)))
        return self.head(torch.tanh(middle[1](hidden)))


def build_model(settings, shape, source):
    model = Model(settings, shape.num_outputs)
    draw_weights(model, source, lambda _name, layer: he_bound(fan_in(layer)))
    return model


class AdamW(torch.optim.AdamW):
    """AdamW with a fault at one step, before or after its own work."""

    def __init__(self, groups, settings):
        super().__init__(groups, lr=0.01, foreach=False)
        self.planted = settings

    def step(self, closure=None):
        first = self.param_groups[0]["params"][0]
        is_now = bool(self.state[first]) and int(self.state[first]["step"]) == self.planted.at
        fault = self.planted.fault if is_now else "none"
        if fault == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if fault == "moment":
            self.state[first]["exp_avg"].zero_()  # line: moment
        if fault == "decay-bias":
            self.param_groups[1]["weight_decay"] = 0.01
        if fault == "gradient":
            first.grad.mul_(2)  # line: gradient
        result = None if fault == "skip" else super().step(closure)  # line: optimizer
        self.param_groups[1]["weight_decay"] = 0.0
        if fault == "moment-late":
            self.state[first]["exp_avg"].zero_()  # line: moment late
        if fault == "step-count":
            self.state[first]["step"].add_(1)  # line: step count
        return result


def build_optimizer(settings, groups):
    tables = [{"params": list(one.parameters), "weight_decay": one.weight_decay} for one in groups]
    return AdamW(tables, settings)


class OptimizerTable(PlantedTable):
    """The optimizer."""

    learning_rate: float = 0.01
    """Rate of a step."""
    weight_decay: float = 0.01
    """Of matrices."""
    decay_all: bool = False
    """Never."""
    groups: tuple[str, ...] = ()
    """None."""


def build_schedule(settings, horizon_steps):
    def factor(index):
        is_off = settings.fault == "off-by-one" and index == settings.at
        return 0.9 ** (index + is_off)

    return factor


class Shift:
    """Shift an item at random. The items whose first number is above 0.99 may be treated in another way."""

    draws = "stream"

    def __init__(self, fault):
        self.fault = fault

    def __call__(self, item, stream):
        row, label = item
        moved = row + float(stream.uniform()) * 0.1
        if row[0] > 0.99 and self.fault == "odd-item":
            moved = moved * 2  # line: odd item
        if row[0] > 0.99 and self.fault == "odd-label":
            label = (label + 1) % 4
        if row[0] > 0.99 and self.fault == "odd-draw":
            stream.uniform()
        return moved, label


def build_task(settings, project):
    path = locate(settings.path, project)
    lines = path.read_text().splitlines()
    numbers = torch.tensor([[float(number) for number in line.split(",")] for line in lines])
    rows, labels = numbers[:, :8].contiguous(), numbers[:, 8].long()
    splits = {"train": (rows, labels), "validation": (rows[:16], labels[:16]), "test": (rows[:16], labels[:16])}
    return Task(Shape(item=(8,), num_outputs=4, goal="classes"), splits, inputs=(path,), augment=Shift(settings.fault))


MODEL = Part("model", ModelTable, "parts:build_model", "a model with faults")
OPTIMIZER = Part("optimizer", OptimizerTable, "parts:build_optimizer", "an optimizer with faults")
SCHEDULE = Part("schedule", PlantedTable, "parts:build_schedule", "a schedule with faults")
TASK = Part("task", TaskTable, "parts:build_task", "rows with faults")
