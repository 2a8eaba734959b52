"""States of generators as JSON: back bit for bit, through canonical JSON, or an error that says why."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

from samerun.base.canon import canonical_bytes, parse_json
from samerun.errors import UsageError
from samerun.streams import ambient
from samerun.streams.portable import (
    capture_json,
    generator_state,
    is_generator,
    load_generator_state,
    restore_json,
)
from samerun.streams.source import Streams

KINDS: dict[str, tuple[Callable[[int], Any], Callable[[Any], Any]]] = {
    "python": (random.Random, lambda g: (g.random(), g.gauss(0, 1), g.getrandbits(7))),
    "philox": (lambda s: np.random.Generator(np.random.Philox(s)), lambda g: g.random(3).tolist()),
    "pcg64": (np.random.default_rng, lambda g: (g.integers(0, 9, 3, np.uint32).tolist(), g.normal())),
    "pcg64dxsm": (lambda s: np.random.Generator(np.random.PCG64DXSM(s)), lambda g: g.random(3).tolist()),
    "sfc64": (lambda s: np.random.Generator(np.random.SFC64(s)), lambda g: g.random(3).tolist()),
    "mt19937": (lambda s: np.random.Generator(np.random.MT19937(s)), lambda g: g.random(3).tolist()),
    "bits": (np.random.PCG64, lambda g: g.random_raw(3).tolist()),
    "legacy": (np.random.RandomState, lambda g: (g.standard_normal(), g.random_sample())),
    "torch": (lambda s: torch.Generator().manual_seed(s), lambda g: torch.randn(3, generator=g).tolist()),
    "named numpy": (lambda s: Streams(s).stream("x").numpy(), lambda g: g.random(3).tolist()),
    "named torch": (lambda s: Streams(s).stream("x").torch(), lambda g: torch.rand(3, generator=g).tolist()),
    "named python": (lambda s: Streams(s).stream("x").python(), lambda g: g.random()),
}


@pytest.fixture(autouse=True)
def generators_are_put_back() -> Iterator[None]:
    before = ambient.capture()
    yield
    ambient.put_back(before)


def through_json(state: Any) -> Any:
    return parse_json(canonical_bytes(state), "state")


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("used", [0, 1, 2, 301])
def test_every_kind_comes_back_bit_for_bit(name: str, used: int) -> None:
    make, draw = KINDS[name]
    generator = make(5)
    for _ in range(used):
        draw(generator)
    state = through_json(generator_state(generator))
    expected = [draw(generator) for _ in range(3)]
    other = make(99)
    draw(other)
    load_generator_state(other, state)
    assert [draw(other) for _ in range(3)] == expected
    assert through_json(generator_state(other)) == through_json(generator_state(generator))


@pytest.mark.parametrize("name", KINDS)
def test_asking_for_the_state_changes_nothing(name: str) -> None:
    make, draw = KINDS[name]
    asked, plain = make(5), make(5)
    for _ in range(3):
        generator_state(asked)
        assert draw(asked) == draw(plain)


def test_the_global_generators_come_back_with_their_kept_normals() -> None:
    random.seed(1)
    np.random.seed(1)
    torch.manual_seed(1)
    draw = lambda: (random.gauss(0, 1), np.random.standard_normal(), torch.randn(1).item(), random.random())  # noqa: E731
    draw()
    state = through_json(capture_json())
    expected = [draw() for _ in range(3)]
    restore_json(state)
    assert [draw() for _ in range(3)] == expected
    restore_json(state)
    assert through_json(capture_json()) == state


def test_children_spawned_after_a_restore_are_the_next_ones() -> None:
    generator = np.random.default_rng(5)
    generator.spawn(2)
    state = through_json(generator_state(generator))
    expected = generator.spawn(1)[0].random()
    other = np.random.default_rng(5)
    load_generator_state(other, state)
    assert other.spawn(1)[0].random() == expected


def test_children_that_cannot_be_spawned_alike_are_an_error() -> None:
    generator = np.random.default_rng(5)
    generator.spawn(2)
    state = generator_state(generator)
    ahead = np.random.default_rng(5)
    ahead.spawn(3)
    for other, why in [(np.random.default_rng(6), "another seed"), (ahead, "spawned 3")]:
        with pytest.raises(UsageError, match=why) as caught:
            load_generator_state(other, state)
        assert caught.value.code == "SR-STREAM-008"


@pytest.mark.parametrize("value", [random.SystemRandom(), object(), 7, "x", None, random, np.random])
def test_what_keeps_no_state_is_refused(value: Any) -> None:
    assert not is_generator(value)
    with pytest.raises(UsageError) as caught:
        generator_state(value)
    assert caught.value.code == "SR-STREAM-008"


def test_a_state_of_another_kind_is_refused_and_changes_nothing() -> None:
    makes = {name: KINDS[name] for name in ("python", "pcg64", "bits", "legacy", "torch")}
    for name, (make, _) in makes.items():
        for other, (make_other, draw) in makes.items():
            if name == other:
                continue
            target = make_other(3)
            with pytest.raises(UsageError) as caught:
                load_generator_state(target, generator_state(make(5)))
            assert caught.value.code == "SR-STREAM-008"
            assert draw(target) == draw(make_other(3))


def test_a_bit_generator_of_another_kind_is_refused() -> None:
    with pytest.raises(UsageError):
        load_generator_state(np.random.default_rng(3), generator_state(KINDS["philox"][0](5)))


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("python", {"words": "00"}),
        ("python", {"words": "zz"}),
        ("python", {"version": 99}),
        ("pcg64", {"state": {"bit_generator": "PCG64"}}),
        ("pcg64", {"state": "x"}),
        ("torch", {"state": "00" * 16}),
        ("torch", {"device": "cuda"}),
        ("legacy", {"state": {}}),
    ],
)
def test_a_damaged_state_is_an_error_of_ours(name: str, damage: dict[str, Any]) -> None:
    make, _ = KINDS[name]
    with pytest.raises(UsageError) as caught:
        load_generator_state(make(3), {**generator_state(make(5)), **damage})
    assert caught.value.code == "SR-STREAM-008"


@pytest.mark.parametrize(
    "state", [None, {}, {"kind": "globals"}, {"kind": "python.Random"}, [], {"kind": "globals", "numpy": 3}]
)
def test_a_damaged_state_of_the_globals_is_an_error_of_ours(state: Any) -> None:
    with pytest.raises(UsageError) as caught:
        restore_json(state)
    assert caught.value.code == "SR-STREAM-008"


def test_a_state_with_cuda_is_refused_where_there_is_none() -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a CUDA device")
    with pytest.raises(UsageError, match="CUDA"):
        restore_json({**capture_json(), "cuda": ["00" * 16]})
