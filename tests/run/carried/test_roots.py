"""A look begins at tracked objects, variables of frames and modules, and knows which gradients are tracked."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import torch

from samerun.run.carried.roots import Look
from samerun.run.carried.usage import Usage
from samerun.run.tracked import Tracked
from samerun.run.values import Values


def look(frame: FrameType, **objects: Any) -> Look:
    tracked = Tracked()
    tracked.add(objects)
    return Look(tracked, [frame], Usage([frame]))


def test_tracked_objects_and_carried_variables_are_looked_at() -> None:
    model, total = torch.nn.Linear(1, 1), 3
    model.calls = 2  # type: ignore[assignment]
    found = look(sys._getframe(), model=model, values=Values()).boundary
    assert found.leaves["model.calls"].shown == "2"
    assert found.leaves["loop local 'total'"].shown == "3"
    assert not any(path.startswith("values") for path in found.leaves)
    assert found.tracked.startswith("xxh3:")
    assert total == 3


def test_gradients_are_looked_at_unless_they_are_tracked() -> None:
    model = torch.nn.Linear(1, 1)
    assert list(look(sys._getframe(), model=model).modules) == ["gradients of model"]
    assert look(sys._getframe(), model=model, gradients=model).modules == {}


def test_what_could_not_be_looked_into_is_told() -> None:
    odd = torch.eye(2).to_sparse()
    made = look(sys._getframe(), values=Values())
    # The modules of other tests that this process has imported are looked into, too.
    assert [text.partition(":")[0] for text in made.unseen if text.startswith("loop")] == ["loop local 'odd'"]
    assert odd is not None
