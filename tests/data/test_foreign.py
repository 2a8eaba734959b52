"""Foreign code leaves no trace: generators, threads, and its word about what it draws."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch

from samerun.data.foreign import apply_torch, foreign, one_thread, torch_settings
from samerun.errors import UsageError
from samerun.streams import ambient
from samerun.tiers.blas import numpy_threads, set_numpy_threads

DRAWS: list[Callable[[], object]] = [random.random, np.random.rand, np.random.standard_normal, lambda: torch.rand(1)]


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    before, blas = torch.get_num_threads(), numpy_threads()
    yield
    torch.set_num_threads(before)
    if blas:
        set_numpy_threads(blas)


@pytest.mark.parametrize("draw", DRAWS)
def test_all_generators_are_put_back_also_on_an_exception(draw: Callable[[], object]) -> None:
    before = ambient.capture()
    with pytest.raises(ValueError, match="broken"), foreign(True, "x"):
        draw()
        raise ValueError("broken")
    assert not ambient.moved(before, ambient.capture())


@pytest.mark.parametrize("draw", DRAWS)
def test_a_draw_against_the_declaration_is_found(draw: Callable[[], object]) -> None:
    before = ambient.capture()
    with pytest.raises(UsageError, match="SR-DATA-004"), foreign(False, "the data set"):
        draw()
    assert not ambient.moved(before, ambient.capture())


def test_a_seed_without_a_draw_is_found_too() -> None:
    random.seed(5)
    with pytest.raises(UsageError, match="SR-DATA-004"), foreign(False, "the data set"):
        random.seed(6)  # its first word is a constant, and its place the same
    random_state = random.getstate()
    random.seed(5)
    assert random.getstate() == random_state


def test_code_that_keeps_its_word_passes() -> None:
    with foreign(False, "the data set"):
        pass


def test_threads_are_one_inside_and_as_before_outside() -> None:
    torch.set_num_threads(2)
    set_numpy_threads(2)
    with one_thread():
        assert torch.get_num_threads() == 1 and numpy_threads() in (1, None)
    assert torch.get_num_threads() == 2 and numpy_threads() in (2, None)


def test_settings_of_torch_travel_as_they_are() -> None:
    before = torch_settings()
    try:
        torch.set_default_dtype(torch.float64)
        torch.use_deterministic_algorithms(True, warn_only=True)
        wanted = torch_settings()
        apply_torch(before)
        assert torch_settings() == before != wanted
        apply_torch(wanted)
        assert torch_settings() == wanted
    finally:
        apply_torch(before)
