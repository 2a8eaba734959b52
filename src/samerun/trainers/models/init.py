"""Initial weights, drawn uniformly on the host from the stream `model/weights/{name}` of each parameter, so that they
are equal on every device and no parameter's draw depends on another's. Which bound belongs to which layer is said by
the model's own file.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import nn

from samerun.streams.source import StreamSource

Bound = Callable[[str, nn.Module], float]


def he_bound(fan_in: int) -> float:
    """Return the half-width of the uniform distribution with variance 2 / fan_in (He et al. 2015, equation 10)."""
    return math.sqrt(6.0 / fan_in)


def deviation_bound(standard_deviation: float) -> float:
    """Return the half-width of the uniform distribution with this standard deviation: sqrt(3) times it."""
    return math.sqrt(3.0) * standard_deviation


def fan_in(module: nn.Module) -> int:
    """Return how many inputs one output of a linear or convolution layer sums over."""
    weight = module.get_parameter("weight")
    return int(weight[0].numel())


@torch.no_grad()
def draw_weights(model: nn.Module, source: StreamSource, bound: Bound) -> None:
    """Set every linear, convolution and embedding weight of `model` to a uniform draw, and their biases to zero.

    `bound(name, layer)` gives the half-width for the layer of that name. Norms keep their ones and zeros. A weight
    shared by two layers is drawn once, under the first of its names. The draw is made in float64 and rounded once to
    the parameter's dtype.
    """
    drawn: set[int] = set()
    for name, layer in model.named_modules():
        if not isinstance(layer, nn.Linear | nn.Conv2d | nn.Embedding) or id(layer.weight) in drawn:
            continue
        drawn.add(id(layer.weight))
        stream = source.open("model/weights/{name}", name=f"{name}.weight")
        uniform = torch.from_numpy(stream.uniform(tuple(layer.weight.shape)))
        layer.weight.copy_((uniform * 2.0 - 1.0) * bound(name, layer))
        if not isinstance(layer, nn.Embedding) and layer.bias is not None:
            layer.bias.zero_()
