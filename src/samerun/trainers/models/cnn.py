"""A small convolutional network for images: stages of 3 x 3 convolution, group norm, ReLU and 2 x 2 averages, then one
linear layer over what remains. Group norm, not batch norm: an item's output does not depend on its batch. Averages, not
maxima: their backward pass only gathers, so it repeats its bits on every device.
"""

from __future__ import annotations

import torch
from torch import nn

from samerun.streams.source import StreamSource
from samerun.trainers.models.config import CnnTable
from samerun.trainers.models.init import draw_weights, fan_in, he_bound
from samerun.trainers.models.shape import Shape, unfit

# B batch, K channels, H height, W width, C outputs


class Cnn(nn.Module):
    """Map images (B, K, H, W) to `num_outputs` numbers each."""

    def __init__(self, config: CnnTable, item: tuple[int, ...], num_outputs: int) -> None:
        super().__init__()
        stages: list[nn.Module] = []
        num_channels, height, width = item
        for num_filters in config.channels:
            stages += [
                nn.Conv2d(num_channels, num_filters, kernel_size=3, padding=1, bias=False),
                nn.GroupNorm(min(config.norm_groups, num_filters), num_filters),
                nn.ReLU(),
            ]
            if min(height, width) >= 2:
                stages.append(nn.AvgPool2d(2))
                height, width = height // 2, width // 2
            num_channels = num_filters
        self.stages = nn.Sequential(*stages)
        self.dropout = nn.Dropout(config.dropout)
        self.head = nn.Linear(num_channels * height * width, num_outputs)

    def forward(self, images_BKHW: torch.Tensor) -> torch.Tensor:
        """Return (B, C) for images (B, K, H, W)."""
        features = self.stages(images_BKHW).flatten(1)
        outputs: torch.Tensor = self.head(self.dropout(features))
        return outputs


def build(config: CnnTable, shape: Shape, source: StreamSource) -> Cnn:
    """Build the network and draw its weights."""
    if shape.goal == "tokens" or len(shape.item) != 3:
        raise unfit("cnn", "images", shape)
    model = Cnn(config, shape.item, shape.num_outputs)
    draw_weights(model, source, lambda _name, layer: he_bound(fan_in(layer)))
    return model
