"""The convolutional network."""

from __future__ import annotations

import pytest
import torch

from samerun.errors import ConfigError
from samerun.streams.source import StreamSource
from samerun.trainers.models.cnn import build
from samerun.trainers.models.config import CnnTable
from samerun.trainers.models.shape import Shape


@pytest.mark.parametrize("item", [(1, 8, 8), (3, 32, 20), (1, 1, 1), (2, 5, 7)])
def test_it_takes_images_of_any_size(item: tuple[int, ...]) -> None:
    model = build(CnnTable(channels=(8, 16, 16)), Shape(item, 4, "classes"), StreamSource(1))
    assert model(torch.zeros(3, *item)).shape == (3, 4)


def test_an_items_output_does_not_depend_on_its_batch() -> None:
    model = build(CnnTable(channels=(8,)), Shape((1, 8, 8), 4, "classes"), StreamSource(1)).train()
    images = torch.linspace(-1.0, 1.0, 4 * 64).view(4, 1, 8, 8)
    torch.testing.assert_close(model(images)[:2], model(images[:2]))  # rounding: matmul rows depend on the batch size


@pytest.mark.parametrize("shape", [Shape((13,), 1, "value"), Shape((128,), 256, "tokens")])
def test_what_is_no_image_is_refused(shape: Shape) -> None:
    with pytest.raises(ConfigError, match="SR-TRAINER-001"):
        build(CnnTable(), shape, StreamSource(1))
