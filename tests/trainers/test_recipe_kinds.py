"""Every kind of task, model and precision: the same run again, and the same run after a restart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_breast_cancer, load_diabetes

Train = Callable[..., Any]
"""The fixture `train` of conftest.py."""

GPT = {"kind": "gpt", "layers": 2, "heads": 2, "width": 16, "dropout": 0.2}
KINDS: dict[str, dict[str, Any]] = {
    "classes of a table": {
        "task": {"kind": "table", "path": "cancer.csv", "label": "target"},
        "optimizer": {"kind": "sgd", "learning_rate": 0.1, "nesterov": True},
        "schedule": {"kind": "step", "every_steps": 2, "decay": 0.5},
    },
    "values of a table": {
        "task": {"kind": "table", "path": "diabetes.csv", "label": "target", "goal": "regression"},
        "schedule": {"kind": "linear", "warmup_steps": 2},
        "average": {"decay": 0.9},
    },
    "augmented images": {
        "task": {
            "kind": "images",
            "path": "images",
            "size": 8,
            "color": "gray",
            "augment": {"crop_padding": 1, "flip": True},
        },
        "model": {"kind": "cnn", "channels": [4, 8], "dropout": 0.2},
        "batch_size": 8,
    },
    "bytes with recomputed activations": {
        "task": {"kind": "text", "path": "story.txt", "window": 16},
        "model": {**GPT, "activation_checkpointing": True},
        "accumulate": 3,
        "batch_size": 8,
    },
    "byte pairs in bfloat16": {
        "task": {"kind": "text", "path": "story.txt", "window": 8, "tokenizer": "bpe", "vocabulary_size": 280},
        "model": {**GPT, "norm": "layernorm"},
        "mixed_precision": "bf16",
        "batch_size": 8,
    },
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Write small real tables, drawn images and a short text."""
    for name, load in (("cancer", load_breast_cancer), ("diabetes", load_diabetes)):
        values, target = load(return_X_y=True)
        rows = np.column_stack([values[:200], target[:200]])
        header = ",".join([*(f"f{column}" for column in range(values.shape[1])), "target"])
        np.savetxt(tmp_path / f"{name}.csv", rows, delimiter=",", header=header, comments="", fmt="%.6g")
    for label in ("bright", "dark"):
        (tmp_path / "images" / label).mkdir(parents=True)
        for number in range(16):
            pixels = np.full((8, 8), number * 6 + (120 if label == "bright" else 0), np.uint8)
            pixels[number % 8] = 255
            Image.fromarray(pixels).save(tmp_path / "images" / label / f"{number}.png")
    (tmp_path / "story.txt").write_text(
        "".join(f"{number} green bottles hanging on the wall\n" for number in range(80))
    )
    return tmp_path


@pytest.mark.parametrize("kind", KINDS)
def test_it_trains_and_a_restart_is_the_same_run(train: Train, data: Path, kind: str) -> None:
    changes = {**KINDS[kind], "steps": 4, "evaluate": {"every": 2}}
    whole = train(runs="whole", **changes)
    train(runs="parts", stop_after=1, **changes)
    train(runs="parts", stop_after=3, **changes)
    parts = train(runs="parts", **changes)
    assert parts.rows == whole.rows and parts.trail == whole.trail
    losses = [row["train/loss"] for row in whole.rows]
    assert len(losses) == 4 and all(isinstance(loss, float) and loss > 0.0 for loss in losses)
