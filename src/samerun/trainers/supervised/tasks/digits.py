"""scikit-learn's 1,797 real handwritten digits of 8 x 8 pixels (UCI, Alpaydin and Kaynak 1998), in memory."""

from __future__ import annotations

from pathlib import Path

import torch

from samerun.base.digest import sha256
from samerun.errors import MissingError
from samerun.trainers.models.shape import Shape
from samerun.trainers.supervised.tasks.augment import make_augment
from samerun.trainers.supervised.tasks.config import DigitsTable
from samerun.trainers.supervised.tasks.split import stratified_split
from samerun.trainers.supervised.tasks.task import Task


def load(config: DigitsTable, _project: Path | None) -> Task:
    """Read the digits: images (1, 8, 8) of values 0..1, labels 0..9, the same fraction of each digit held out."""
    try:
        from sklearn.datasets import load_digits
    except ImportError as error:
        raise MissingError(
            "SR-TASK-002",
            "task.kind: digits needs scikit-learn, which holds the images",
            evidence=[f"import sklearn: {error}"],
            do="pip install 'samerun[demo]'",
        ) from error
    pixels, labels = load_digits(return_X_y=True)
    inputs = torch.from_numpy(pixels).to(torch.float32).div_(16.0).view(-1, 1, 8, 8)
    targets = torch.from_numpy(labels).to(torch.int64)
    keys = [sha256(row.tobytes()) for row in pixels]
    split = stratified_split(keys, [str(label) for label in labels], config.test_fraction, config.validation_fraction)
    return Task(
        shape=Shape(item=(1, 8, 8), num_outputs=10, goal="classes"),
        splits={name: (inputs[positions], targets[positions]) for name, positions in split.items()},
        augment=make_augment(config.augment),
        outputs=tuple(str(digit) for digit in range(10)),
    )
