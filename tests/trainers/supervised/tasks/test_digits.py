"""The handwritten digits."""

from __future__ import annotations

import torch

from samerun.trainers.supervised.tasks.config import AugmentTable, DigitsTable
from samerun.trainers.supervised.tasks.digits import load


def test_every_digit_is_in_one_split_and_held_out_alike() -> None:
    task = load(DigitsTable(), None)
    sizes = {name: len(items[0]) for name, items in task.splits.items()}  # type: ignore[index]
    assert sum(sizes.values()) == 1797
    assert 350 <= sizes["test"] <= 370 and 170 <= sizes["validation"] <= 190
    labels = task.splits["test"][1]  # type: ignore[index]
    assert int(torch.bincount(labels).min()) >= 34


def test_images_are_of_values_zero_to_one() -> None:
    task = load(DigitsTable(), None)
    images, labels = task.splits["train"]  # type: ignore[misc]
    assert images.shape[1:] == (1, 8, 8) and images.dtype == torch.float32
    assert float(images.min()) >= 0.0 and float(images.max()) == 1.0
    assert labels.dtype == torch.int64


def test_no_image_of_the_test_split_is_trained_on() -> None:
    task = load(DigitsTable(), None)
    images = {name: {image.numpy().tobytes() for image in items[0]} for name, items in task.splits.items()}  # type: ignore[index]
    assert not images["train"] & images["test"] and not images["train"] & images["validation"]


def test_augmentation_is_off_unless_asked_for() -> None:
    assert load(DigitsTable(), None).augment is None
    assert load(DigitsTable(augment=AugmentTable(crop_padding=1)), None).augment is not None
