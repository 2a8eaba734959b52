"""Random crop and flip of one image, as a function of the stream of its (epoch, item): the same in any worker, in any
batch, and after a resume.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import functional as F

from samerun.streams.stream import Stream
from samerun.trainers.supervised.tasks.config import AugmentTable
from samerun.trainers.supervised.tasks.task import Augment


@dataclass(frozen=True)
class CropAndFlip:
    """Pad an image by `padding` zero pixels on each side, cut its size out again at random, then mirror it or not."""

    padding: int
    flips: bool
    draws: str = "stream"

    def __call__(self, item: tuple[torch.Tensor, Any], stream: Stream) -> tuple[torch.Tensor, Any]:
        """Return the changed (image, target); the image is (channels, height, width)."""
        image, target = item
        height, width = image.shape[-2:]
        if self.padding:
            top, left = (int(offset) for offset in stream.integers(0, 2 * self.padding + 1, 2))
            image = F.pad(image, (self.padding,) * 4)[:, top : top + height, left : left + width]
        if self.flips and stream.uniform() < 0.5:
            image = image.flip(-1)
        return image, target


def make_augment(config: AugmentTable) -> Augment | None:
    """Return the augmentation that `config` asks for; None when it asks for nothing."""
    if config.crop_padding == 0 and not config.flip:
        return None
    return CropAndFlip(config.crop_padding, config.flip)
