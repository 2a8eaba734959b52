"""Images in one folder for each class, decoded when they are asked for and scaled to one square size.

Every file is read once before the run starts: a broken image is refused by name. Random crop and flip are in
augment.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
import torch

from samerun.base.digest import sha256_file
from samerun.errors import ConfigError, MissingError
from samerun.trainers.models.shape import Shape
from samerun.trainers.supervised.tasks.augment import make_augment
from samerun.trainers.supervised.tasks.columns import empty
from samerun.trainers.supervised.tasks.config import ImagesTable
from samerun.trainers.supervised.tasks.split import stratified_split
from samerun.trainers.supervised.tasks.table import check_splits, one_class
from samerun.trainers.supervised.tasks.task import Task, locate

SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff")


@dataclass(frozen=True)
class ImageFile:
    """One image: where it lies below the folder, the number of its class, and the digest of its bytes."""

    path: Path
    label: int
    digest: str


@dataclass(frozen=True)
class ImageItems:
    """A map-style data set of (image, class number); images are float32 (channels, size, size) of values 0..1."""

    files: tuple[ImageFile, ...]
    size: int
    mode: str
    draws: str = "none"

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        pillow = _pillow()
        file = self.files[index]
        with pillow.open(file.path) as image:
            scaled = image.convert(self.mode).resize((self.size, self.size), pillow.Resampling.BILINEAR)
        pixels = torch.from_numpy(np.array(scaled, dtype=np.uint8)).to(torch.float32).div_(255.0)
        return (pixels[None] if pixels.ndim == 2 else pixels.permute(2, 0, 1).contiguous()), file.label


def load(config: ImagesTable, project: Path | None) -> Task:
    """List the class folders, read every image once, and hold out the same share of each class by content.

    Raises ConfigError SR-TASK-001, -003 (no folder), -004 (no image), -008 (one class), -010 (an empty split), -013
    (a broken image), MissingError SR-TASK-002 without Pillow.
    """
    root = locate(config.path, project)
    classes = _classes(config.path, root)
    files = _read_all(root, classes)
    split = stratified_split(
        [file.digest for file in files],
        [classes[file.label] for file in files],
        config.test_fraction,
        config.validation_fraction,
    )
    check_splits(split, len(files))
    mode, num_channels = ("RGB", 3) if config.color == "rgb" else ("L", 1)
    return Task(
        shape=Shape(item=(num_channels, config.size, config.size), num_outputs=len(classes), goal="classes"),
        splits={
            name: ImageItems(tuple(files[position] for position in positions), config.size, mode)
            for name, positions in split.items()
        },
        inputs=(root,),
        augment=make_augment(config.augment),
        outputs=classes,
    )


def _classes(name: str, root: Path) -> tuple[str, ...]:
    if not root.is_dir():
        raise ConfigError(
            "SR-TASK-003",
            f"task.path: {name} is no folder",
            evidence=["wanted: a folder that holds one folder of images for each class"],
            do="name the folder above the class folders",
        )
    folders = sorted(item.name for item in root.iterdir() if item.is_dir() and not item.name.startswith("."))
    classes = tuple(folder for folder in folders if _images_in(root / folder))
    if not classes:
        raise empty(name, f"{len(folders)} folders, no image ({', '.join(SUFFIXES)})")
    if len(classes) == 1:
        raise one_class(f"task.path: {name}", classes[0])
    return classes


def _images_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES)


def _read_all(root: Path, classes: Sequence[str]) -> list[ImageFile]:
    """Decode every image once; report all broken ones together."""
    pillow = _pillow()
    files: list[ImageFile] = []
    broken: list[str] = []
    for label, name in enumerate(classes):
        for path in _images_in(root / name):
            try:
                with pillow.open(path) as image:
                    image.load()
            except (OSError, ValueError, SyntaxError, pillow.DecompressionBombError) as error:
                broken.append(f"{path.relative_to(root).as_posix()}: {_without_path(error, path)}")
                continue
            files.append(ImageFile(path, label, sha256_file(path)))
    if broken:
        raise ConfigError(
            "SR-TASK-013",
            f"task.path: {len(broken)} of {len(broken) + len(files)} images cannot be read",
            evidence=broken[:10],
            do="repair or remove them",
        )
    return files


def _without_path(error: Exception, path: Path) -> str:
    return str(error).replace(str(path), path.name)


def _pillow() -> ModuleType:
    try:
        from PIL import Image
    except ImportError as error:
        raise MissingError(
            "SR-TASK-002",
            "task.kind: images needs Pillow",
            evidence=[f"import PIL: {error}"],
            do="pip install 'samerun[images]'",
        ) from error
    return Image
