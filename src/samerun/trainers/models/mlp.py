"""A multilayer perceptron: the item flattened, hidden layers with an activation and dropout, one linear output."""

from __future__ import annotations

import math

import torch
from torch import nn

from samerun.streams.source import StreamSource
from samerun.trainers.models.config import MlpTable
from samerun.trainers.models.init import draw_weights, fan_in, he_bound
from samerun.trainers.models.shape import Shape, unfit

# B batch, F features of one flattened item, C outputs

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "gelu": nn.GELU, "tanh": nn.Tanh}


class Mlp(nn.Module):
    """Map items of any fixed shape to `num_outputs` numbers each."""

    def __init__(self, config: MlpTable, num_features: int, num_outputs: int) -> None:
        super().__init__()
        layers: list[nn.Module] = [nn.Flatten()]
        width = num_features
        for hidden in config.hidden:
            layers.append(nn.Linear(width, hidden))
            if config.norm == "layernorm":
                layers.append(nn.LayerNorm(hidden))
            layers.append(ACTIVATIONS[config.activation]())
            if config.dropout > 0.0:
                layers.append(nn.Dropout(config.dropout))
            width = hidden
        layers.append(nn.Linear(width, num_outputs))
        self.layers = nn.Sequential(*layers)

    def forward(self, items: torch.Tensor) -> torch.Tensor:
        """Return (B, C) for items (B, ...)."""
        outputs: torch.Tensor = self.layers(items)
        return outputs


def build(config: MlpTable, shape: Shape, source: StreamSource) -> Mlp:
    """Build the perceptron and draw its weights."""
    if shape.goal == "tokens":
        raise unfit("mlp", "rows of numbers or images", shape)
    model = Mlp(config, math.prod(shape.item), shape.num_outputs)
    draw_weights(model, source, lambda _name, layer: he_bound(fan_in(layer)))
    return model
