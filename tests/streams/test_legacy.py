"""NumPy's global generator at memory speed: the same states as its own slow way, kept normals included."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from samerun.errors import UsageError
from samerun.streams import legacy

WORDS = np.arange(1, 625, dtype=np.uint32) * np.uint32(2654435761)


@pytest.fixture(autouse=True)
def the_global_generator_is_put_back() -> Iterator[None]:
    before = np.random.get_state()
    yield
    np.random.set_state(before)


@pytest.fixture(params=["fast", "slow"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "slow":
        monkeypatch.setattr(legacy, "_cells", lambda: None)
    return str(request.param)


def full_state() -> tuple[Any, ...]:
    state: Any = np.random.get_state()
    return (state[1].tolist(), *state[2:])


def test_the_layout_is_known_on_this_numpy() -> None:
    assert legacy._cells() is not None


@pytest.mark.parametrize("keeps_normal", [False, True])
def test_writing_leaves_what_set_state_leaves(way: str, keeps_normal: bool) -> None:
    np.random.seed(3)
    if keeps_normal:
        np.random.standard_normal()
    legacy.write(WORDS)
    ours = full_state()
    np.random.set_state(("MT19937", WORDS, 624, 0, 0.0))
    assert ours[:3] == full_state()[:3]
    assert [np.random.standard_normal() for _ in range(5)] == _after(lambda: legacy.write(WORDS))


def _after(prepare: Any) -> list[float]:
    prepare()
    return [np.random.standard_normal() for _ in range(5)]


@pytest.mark.parametrize("draws", [0, 1, 2, 3, 311, 312, 313, 1000])
@pytest.mark.parametrize("normals", [0, 1, 2])
def test_reading_changes_nothing_and_writing_back_restores_everything(way: str, draws: int, normals: int) -> None:
    np.random.seed(5)
    np.random.random_sample(draws)
    for _ in range(normals):
        np.random.standard_normal()
    before = full_state()
    saved = legacy.read()
    assert full_state()[:3] == before[:3]
    assert full_state()[3] == before[3] or before[2] == 0
    expected = [np.random.standard_normal() for _ in range(4)] + np.random.random_sample(3).tolist()
    np.random.random_sample(999)
    np.random.standard_normal()
    legacy.write_back(*saved)
    assert [np.random.standard_normal() for _ in range(4)] + np.random.random_sample(3).tolist() == expected
    legacy.write_back(*saved)
    assert full_state()[:2] == before[:2]


def test_fast_and_slow_reads_are_interchangeable(monkeypatch: pytest.MonkeyPatch) -> None:
    np.random.seed(7)
    np.random.standard_normal()
    fast = legacy.read()
    monkeypatch.setattr(legacy, "_cells", lambda: None)
    slow = legacy.read()
    assert (fast[0] == slow[0]).all() and fast[1] == slow[1] is not None
    legacy.write_back(*fast)
    assert legacy.read()[1] == fast[1]


def test_a_replaced_global_generator_is_refused_and_noticed_again() -> None:
    before = np.random.get_bit_generator()
    np.random.set_bit_generator(np.random.PCG64(1))
    try:
        with pytest.raises(UsageError) as caught:
            legacy.write(WORDS)
        assert caught.value.code == "SR-STREAM-007"
    finally:
        np.random.set_bit_generator(before)
    legacy.write(WORDS)
    assert full_state()[0] == WORDS.tolist()
    other = np.random.MT19937(9)
    np.random.set_bit_generator(other)
    try:
        legacy.write(WORDS)
        assert other.state["state"]["key"].tolist() == WORDS.tolist()
    finally:
        np.random.set_bit_generator(before)
