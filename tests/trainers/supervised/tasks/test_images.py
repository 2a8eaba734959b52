"""Folders of images."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from samerun.errors import ConfigError
from samerun.trainers.supervised.tasks.config import ImagesTable
from samerun.trainers.supervised.tasks.images import ImageItems, load
from samerun.trainers.supervised.tasks.task import Task


def write_images(folder: Path, classes: tuple[str, ...] = ("cat", "dog"), count: int = 12) -> None:
    for label, name in enumerate(classes):
        (folder / name).mkdir()
        for number in range(count):
            pixels = np.full((10, 14, 3), (number * 20, label * 100, 50), np.uint8)
            Image.fromarray(pixels).save(folder / name / f"{number}.png")


def loaded(folder: Path, **values: Any) -> Task:
    return load(ImagesTable(path=folder.name, **{"size": 8, **values}), folder.parent)


def items_of(task: Task, split: str) -> ImageItems:
    items = task.splits[split]
    assert isinstance(items, ImageItems)
    return items


def test_classes_are_the_folders_and_every_image_is_in_one_split(tmp_path: Path) -> None:
    write_images(tmp_path)
    task = loaded(tmp_path)
    assert task.outputs == ("cat", "dog") and task.shape.item == (3, 8, 8)
    assert sum(len(items_of(task, name)) for name in task.splits) == 24
    assert [sum(file.label == label for file in items_of(task, "test").files) for label in (0, 1)] == [2, 2]


def test_an_image_is_scaled_to_values_of_zero_to_one(tmp_path: Path) -> None:
    write_images(tmp_path)
    image, label = items_of(loaded(tmp_path), "train")[0]
    assert image.shape == (3, 8, 8) and image.dtype == torch.float32 and image.is_contiguous()
    assert float(image.min()) >= 0.0 and float(image.max()) <= 1.0
    assert label in (0, 1)


def test_gray_is_one_channel(tmp_path: Path) -> None:
    write_images(tmp_path)
    task = loaded(tmp_path, color="gray")
    assert task.shape.item == (1, 8, 8) and items_of(task, "train")[0][0].shape == (1, 8, 8)


def test_a_renamed_file_is_held_out_as_before(tmp_path: Path) -> None:
    write_images(tmp_path)
    before = {file.digest for file in items_of(loaded(tmp_path), "test").files}
    (tmp_path / "cat" / "3.png").rename(tmp_path / "cat" / "zzz.png")
    assert {file.digest for file in items_of(loaded(tmp_path), "test").files} == before


def test_all_broken_images_are_refused_together_by_name(tmp_path: Path) -> None:
    write_images(tmp_path)
    whole = (tmp_path / "dog" / "1.png").read_bytes()
    (tmp_path / "dog" / "1.png").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "cat" / "2.jpg").write_bytes(b"no image at all")
    (tmp_path / "cat" / "3.png").write_bytes(b"")
    with pytest.raises(ConfigError, match="SR-TASK-013") as caught:
        loaded(tmp_path)
    names = [line.split(":")[0] for line in caught.value.evidence]
    assert names == ["cat/2.jpg", "cat/3.png", "dog/1.png"]
    assert str(tmp_path) not in str(caught.value)


def test_one_class_is_refused(tmp_path: Path) -> None:
    write_images(tmp_path, classes=("cat",))
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match="SR-TASK-008"):
        loaded(tmp_path)


def test_a_folder_without_images_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="SR-TASK-004"):
        loaded(tmp_path)


def test_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "images.zip").write_bytes(b"x")
    with pytest.raises(ConfigError, match="SR-TASK-003"):
        load(ImagesTable(path="images.zip"), tmp_path)


def test_the_folder_is_an_input_of_the_run(tmp_path: Path) -> None:
    write_images(tmp_path)
    assert loaded(tmp_path).inputs == (tmp_path,)
