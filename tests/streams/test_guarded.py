"""What the guard replaces hears of each kind of seed, returns what it would have, and is put back."""

from __future__ import annotations

import copy
import os
import pickle
import random
import secrets
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from samerun.streams import portable
from samerun.streams.guard import Guard
from samerun.streams.guarded import guarding, lower_guard, raise_guard, standing

OWNERS = (random, np.random, os, uuid, torch, torch.random, torch.cuda, threading.Thread, random.Random)


def names() -> list[dict[str, object]]:
    return [dict(vars(owner)) for owner in OWNERS]


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - our own bytes, as a data set sends them to its workers


@pytest.fixture
def guard() -> Iterator[Guard]:
    with guarding(Guard("record", Path(__file__).parent)) as standing:
        standing.begin()
        standing.cover(0)
        yield standing


def test_every_name_is_put_back_also_on_an_exception() -> None:
    before = names()
    with pytest.raises(ZeroDivisionError), guarding(Guard("record", Path())):
        assert names() != before
        raise ZeroDivisionError
    assert names() == before and standing() is None


def test_guards_may_follow_and_hold_each_other() -> None:
    before = names()
    first, second = Guard("record", Path()), Guard("record", Path())
    raise_guard(first)
    raise_guard(second)
    assert standing() is second
    lower_guard(second)
    assert standing() is first and names() != before
    lower_guard(first)
    lower_guard(first)
    assert names() == before


@pytest.mark.parametrize(
    "make",
    [
        lambda: np.random.default_rng(),
        lambda: np.random.RandomState(),
        lambda: np.random.SeedSequence(),
        lambda: np.random.PCG64(),
        lambda: np.random.Generator(np.random.Philox()),
        lambda: random.Random().random(),
        lambda: random.Random().shuffle([1, 2, 3]),
        lambda: random.SystemRandom().random(),
        lambda: random.seed(),
        lambda: np.random.seed(),
        lambda: torch.seed(),
        lambda: torch.Generator().seed(),
    ],
)
def test_what_the_system_seeds_is_found_at_its_line(make: Callable[[], object], guard: Guard) -> None:
    make()
    (found,) = guard.findings.take()
    assert found.kind == "unseeded" and found.site is not None
    assert (found.site.file, found.site.line) == ("test_guarded.py", make.__code__.co_firstlineno)


@pytest.mark.parametrize(
    ("make", "source"),
    [
        (lambda: np.random.default_rng(int.from_bytes(os.urandom(8), "big")), "os.urandom"),
        (lambda: np.random.default_rng(secrets.randbits(128)), "the operating system"),
        (lambda: random.Random(secrets.randbelow(2**32)), "the operating system"),
        (lambda: random.seed(uuid.uuid4().int), "uuid.uuid4"),
        (lambda: random.Random(str(uuid.uuid4())), "uuid.uuid4"),
        (lambda: torch.manual_seed(int(time.time())), "the clock"),
        (lambda: torch.Generator().manual_seed(time.time_ns()), "the clock"),
        (lambda: np.random.RandomState(int(time.time() * 1000) % 2**32), "the clock"),
    ],
)
def test_a_seed_that_no_second_run_gets_is_found(make: Callable[[], object], source: str, guard: Guard) -> None:
    make()
    (found,) = guard.findings.take()
    assert found.kind == "entropy" and found.what.endswith(f"with a number from {source}")


@pytest.mark.parametrize(
    "do",
    [
        lambda: np.random.default_rng(3).random(),
        lambda: np.random.Philox(key=3),
        lambda: np.random.RandomState(np.random.PCG64(3)).rand(),
        lambda: random.Random(3).random(),
        lambda: random.Random().seed(3),
        lambda: copy.deepcopy(random.Random(3)).random(),
        lambda: pickled(random.Random(3)).random(),
        lambda: copy.deepcopy(np.random.default_rng(3)),
        lambda: pickled(np.random.RandomState(3)),
        lambda: torch.Generator().manual_seed(3),
        lambda: torch.rand(2, generator=torch.Generator()),
        lambda: tempfile.mktemp(),
        lambda: (uuid.uuid4(), os.urandom(8), secrets.token_hex(4), secrets.randbits(32), secrets.choice([1, 2])),
        lambda: torch.nn.Linear(2, 2),
        lambda: torch.nn.functional.dropout(torch.ones(3), 0.5),
        lambda: portable.generator_state(random.Random(3)),
    ],
)
def test_what_repeats_and_what_is_no_seed_is_never_found(do: Callable[[], object], guard: Guard) -> None:
    do()
    assert guard.findings.take() == []


def test_numbers_are_the_same_with_a_guard() -> None:
    def numbers() -> list[object]:
        random.seed(3)
        np.random.seed(3)
        torch.manual_seed(3)
        made = random.Random()
        made.seed(3)
        return [
            random.random(),
            random.sample(range(99), 5),
            float(np.random.standard_normal()),
            np.random.default_rng(3).random(),
            np.random.RandomState(3).randint(99),
            torch.rand(3).tolist(),
            torch.rand(3, generator=torch.Generator().manual_seed(3)).tolist(),
            made.getrandbits(70),
            made.choices(range(99), k=4),
        ]

    bare = numbers()
    with guarding(Guard("record", Path())):
        assert numbers() == bare


def test_classes_stay_what_they_are_to_isinstance_and_pickle(guard: Guard) -> None:
    made = random.Random(), np.random.RandomState(3), np.random.PCG64(3), torch.Generator()
    kinds = random.Random, np.random.RandomState, np.random.PCG64, torch.Generator
    assert all(isinstance(one, kind) for one, kind in zip(made, kinds, strict=True))
    assert not isinstance(3, np.random.RandomState) and issubclass(type(made[1]), np.random.RandomState)
    assert type(pickled(made[0])).__name__ == "Random"
    assert isinstance(made[2], np.random.BitGenerator)

    class Mine(random.Random):
        pass

    assert type(Mine()) is Mine


def test_an_unseeded_generator_is_found_once_and_outlives_the_guard() -> None:
    with guarding(Guard("record", Path(__file__).parent)) as guard:
        guard.begin()
        made, unused = random.Random(), random.Random()
        draw = made.random
        draw()
        draw()
        (found,) = guard.findings.take()
    assert found.count == 1 and type(made) is random.Random
    assert 0 <= unused.random() < 1
    assert 0 <= draw() < 1


def test_a_name_that_was_bound_under_a_guard_goes_on_working() -> None:
    with guarding(Guard("raise", Path())):
        draw, make = random.random, np.random.default_rng
    assert 0 <= draw() < 1 and 0 <= make().random() < 1
