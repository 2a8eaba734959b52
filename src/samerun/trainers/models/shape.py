"""What a model is built for: the shape of one item and of what must be said about it. Tasks make a Shape, models
read it. Nothing here knows torch or a particular task.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from samerun.errors import ConfigError

Goal = Literal["classes", "value", "tokens"]
"""`classes`: one of C labels an item. `value`: one number an item. `tokens`: one of V tokens at each position."""


@dataclass(frozen=True)
class Shape:
    """The input and output of a model, as its task fixes them."""

    item: tuple[int, ...]
    """Shape of one input: (channels, height, width) of an image, (features,) of a row, (tokens,) of a window."""
    num_outputs: int
    """Classes (`classes`), 1 (`value`) or the size of the vocabulary (`tokens`)."""
    goal: Goal


def unfit(model: str, wants: str, shape: Shape) -> ConfigError:
    """Return the error that says that `model` cannot read what the task gives."""
    return ConfigError(
        "SR-TRAINER-001",
        f"model.kind: {model} reads {wants}, and this task gives {_described(shape)}",
        evidence=[f"model.kind: {model}", f"task: items of shape {shape.item}, goal {shape.goal}"],
        do="choose another model: -s model.kind=mlp for rows and images, cnn for images, gpt for text",
    )


def _described(shape: Shape) -> str:
    if shape.goal == "tokens":
        return f"windows of {shape.item[0]} tokens"
    if len(shape.item) == 3:
        return f"images of {shape.item[0]} x {shape.item[1]} x {shape.item[2]}"
    return f"rows of {shape.item[0]} numbers"
