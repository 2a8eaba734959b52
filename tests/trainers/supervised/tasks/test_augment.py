"""Random crop and flip."""

from __future__ import annotations

import torch

from samerun.streams.source import StreamSource
from samerun.streams.stream import Stream
from samerun.trainers.supervised.tasks.augment import CropAndFlip, make_augment
from samerun.trainers.supervised.tasks.config import AugmentTable

IMAGE = torch.arange(1.0, 17.0).view(1, 4, 4)


def stream(epoch: int, item: int) -> Stream:
    return StreamSource(3).open("data/item/epoch/{epoch}/item/{item}", epoch=epoch, item=item)


def test_nothing_asked_for_is_no_augmentation() -> None:
    assert make_augment(AugmentTable()) is None


def test_the_same_epoch_and_item_give_the_same_image() -> None:
    augment = CropAndFlip(padding=1, flips=True)
    first, second = augment((IMAGE, 5), stream(0, 3)), augment((IMAGE, 5), stream(0, 3))
    assert torch.equal(first[0], second[0]) and first[1] == 5


def test_other_epochs_and_items_see_other_crops() -> None:
    augment = CropAndFlip(padding=1, flips=True)
    images = {augment((IMAGE, 0), stream(epoch, item))[0].numpy().tobytes() for epoch in range(8) for item in range(8)}
    assert len(images) > 8


def test_a_crop_is_a_shift_with_zeros_moved_in() -> None:
    augment = CropAndFlip(padding=1, flips=False)
    seen = {augment((IMAGE, 0), stream(0, item))[0].numpy().tobytes() for item in range(200)}
    padded = torch.nn.functional.pad(IMAGE, (1, 1, 1, 1))
    shifts = {padded[:, top : top + 4, left : left + 4].numpy().tobytes() for top in range(3) for left in range(3)}
    assert seen == shifts


def test_a_flip_mirrors_about_half_of_the_images() -> None:
    augment = CropAndFlip(padding=0, flips=True)
    flipped = sum(torch.equal(augment((IMAGE, 0), stream(0, item))[0], IMAGE.flip(-1)) for item in range(200))
    assert 70 <= flipped <= 130


def test_the_image_itself_is_left_alone() -> None:
    before = IMAGE.clone()
    CropAndFlip(padding=1, flips=True)((IMAGE, 0), stream(0, 0))
    assert torch.equal(IMAGE, before)
