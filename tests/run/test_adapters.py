"""Generators as tracked objects."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch

from samerun.run.adapters import ADAPTERS, GeneratorAdapter

GENERATORS: list[tuple[Any, Any]] = [
    (random.Random(3), lambda g: g.random()),
    (np.random.default_rng(3), lambda g: g.random()),
    (np.random.RandomState(3), lambda g: g.random_sample()),
    (torch.Generator().manual_seed(3), lambda g: torch.rand(1, generator=g).item()),
]


@pytest.mark.parametrize(("generator", "draw"), GENERATORS, ids=["python", "numpy", "legacy", "torch"])
def test_a_generator_goes_on_where_its_state_was_taken(generator: Any, draw: Any) -> None:
    adapter = GeneratorAdapter()
    assert adapter.knows(generator)
    draw(generator)
    stored = adapter.state_of(generator)
    wanted = [draw(generator) for _ in range(3)]
    adapter.load_into(generator, stored)
    assert [draw(generator) for _ in range(3)] == wanted


@pytest.mark.parametrize("thing", [{}, 3, torch.zeros(2), random, object()])
def test_nothing_else_is_taken_for_a_generator(thing: object) -> None:
    assert not any(adapter.knows(thing) for adapter in ADAPTERS)
