"""The global generators: a function of (seed, name), put back whatever happens, and seen by a fingerprint."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from samerun.streams import ambient
from samerun.streams.ambient import capture, fingerprint, moved, put_back, scope, set_globals
from samerun.streams.generators import MT_WORDS
from samerun.streams.named import Stream
from samerun.streams.source import StreamSource


def step_stream(step: int = 3, seed: int = 7) -> Stream:
    return StreamSource(seed).open("ambient/step/{step}/micro/{micro}/rank/{rank}", step=step, micro=0, rank=0)


def draw_of_each() -> tuple[Any, ...]:
    return (
        random.random(),
        random.gauss(0, 1),
        float(np.random.random_sample()),
        float(np.random.standard_normal()),
        torch.rand(3).tolist(),
        torch.randn(3).tolist(),
    )


@pytest.fixture(autouse=True)
def generators_are_put_back() -> Iterator[None]:
    before = capture()
    yield
    put_back(before)


def test_the_same_stream_gives_the_same_globals_whatever_was_drawn_before() -> None:
    seen = []
    for noise in (0, 1, 700):
        for _ in range(noise):
            draw_of_each()
        set_globals(step_stream())
        seen.append(draw_of_each())
    assert seen[0] == seen[1] == seen[2]


def test_every_generator_differs_between_steps_and_seeds() -> None:
    draws = []
    for stream in (step_stream(3), step_stream(4), step_stream(3, seed=8)):
        set_globals(stream)
        draws.append(draw_of_each())
    for one, two, three in zip(*draws):
        assert one != two != three != one


def test_the_three_generators_do_not_share_numbers() -> None:
    set_globals(step_stream())
    words = {random.getrandbits(32) for _ in range(MT_WORDS)}
    words |= set(np.random.randint(0, 2**32, MT_WORDS, np.uint32).tolist())
    words |= set(torch.empty(MT_WORDS, dtype=torch.int64).random_(0, 2**31).tolist())
    assert len(words) > 3 * MT_WORDS - 5


def test_torch_gets_its_whole_state() -> None:
    set_globals(step_stream())
    state = torch.get_rng_state().numpy()
    words = state[24 : 24 + 8 * MT_WORDS].view(np.uint64)
    assert (words == step_stream().words(627, "global")[315:].view(np.uint32)).all()


def test_setting_neither_counts_nor_moves_the_stream() -> None:
    source = StreamSource(7)
    stream = source.open("ambient/setup")
    set_globals(stream)
    first = draw_of_each()
    set_globals(stream)
    assert draw_of_each() == first
    assert stream.count == 0
    assert source.take_counts() == {}


@pytest.mark.parametrize("before", range(4))
def test_a_scope_puts_everything_back(before: int) -> None:
    def prepare() -> None:
        set_globals(step_stream())
        for _ in range(before):
            random.gauss(0, 1), np.random.standard_normal(), torch.randn(1)

    prepare()
    expected = [draw_of_each() for _ in range(3)]
    prepare()
    with scope(step_stream(99)):
        inside = draw_of_each()
        np.random.standard_normal()
    assert [draw_of_each() for _ in range(3)] == expected
    with scope(step_stream(99)):
        assert draw_of_each() == inside


def test_a_scope_puts_everything_back_after_an_exception_too() -> None:
    set_globals(step_stream())
    expected = draw_of_each()
    set_globals(step_stream())
    with pytest.raises(ZeroDivisionError), scope(step_stream(99)):
        draw_of_each()
        raise ZeroDivisionError
    assert draw_of_each() == expected


def test_scopes_nest() -> None:
    set_globals(step_stream())
    expected = draw_of_each()
    set_globals(step_stream())
    with scope(step_stream(1)):
        with scope(step_stream(2)):
            draw_of_each()
        inner = draw_of_each()
    assert draw_of_each() == expected
    with scope(step_stream(1)):
        assert draw_of_each() == inner


DRAWS: dict[str, Callable[[], object]] = {
    "python": lambda: random.random(),
    "python gauss": lambda: random.gauss(0, 1),
    "numpy": lambda: np.random.random_sample(),
    "numpy normal": lambda: np.random.standard_normal(),
    "torch": lambda: torch.rand(1),
    "torch normal": lambda: torch.randn(1),
    "dropout": lambda: torch.dropout(torch.ones(3), 0.5, True),
    "randperm": lambda: torch.randperm(3),
}


@pytest.mark.parametrize("name", DRAWS)
def test_a_fingerprint_shows_one_further_draw_and_in_which_generator(name: str) -> None:
    set_globals(step_stream())
    quiet = fingerprint()
    set_globals(step_stream())
    assert fingerprint() == quiet
    set_globals(step_stream())
    DRAWS[name]()
    changed = [at for at, (a, b) in enumerate(zip(quiet.split("."), fingerprint().split("."))) if a != b]
    assert changed == [0 if "python" in name else 1 if "numpy" in name else 2]


@pytest.mark.parametrize("name", ["python gauss", "numpy normal", "torch normal"])
def test_a_fingerprint_shows_a_kept_normal_that_was_used(name: str) -> None:
    # The second normal of a pair uses no word: only the kept number tells.
    seen = set()
    for draws in (1, 2):
        set_globals(step_stream())
        for _ in range(draws):
            DRAWS[name]()
        seen.add(fingerprint())
    assert len(seen) == 2


def test_a_fingerprint_has_a_place_for_each_generator() -> None:
    pieces = fingerprint().split(".")
    assert len(pieces) == 4
    assert all(len(piece) == 16 and int(piece, 16) >= 0 for piece in pieces[:3])
    assert pieces[3] == "-" or torch.cuda.is_initialized()


def test_what_moved_is_named_generator_by_generator() -> None:
    place = torch.zeros(16, dtype=torch.uint8)
    before = replace(capture(), cuda=(place, place))
    assert moved(before, replace(capture(), cuda=(place, place.clone()))) == set()
    assert moved(before, replace(capture(), cuda=(place, place + 1))) == {"cuda"}
    draw_of_each()
    assert moved(before, capture()) >= {"python", "numpy", "torch"}


def run(script: str) -> str:
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.slow
def test_torch_may_be_imported_after_the_globals_were_set() -> None:
    script = """
import sys
from samerun.streams.source import StreamSource
from samerun.streams.ambient import capture, fingerprint, put_back, set_globals
stream = StreamSource(7).open("ambient/setup")
set_globals(stream)
early = capture()
assert "torch" not in sys.modules and fingerprint().endswith(".-.-")
import torch
put_back(early)
fresh = torch.rand(1)
torch.manual_seed(3)
put_back(early)
assert torch.equal(torch.rand(1), fresh)
set_globals(stream)
print(torch.rand(1).item())
"""
    set_globals(StreamSource(7).open("ambient/setup"))
    assert float(run(script)) == torch.rand(1).item()


@pytest.mark.gpu
def test_cuda_follows_the_stream_and_is_put_back() -> None:
    set_globals(step_stream())
    torch.rand(1, device="cuda")
    set_globals(step_stream())
    quiet = fingerprint()
    set_globals(step_stream())
    expected = torch.rand(3, device="cuda").tolist()
    assert fingerprint() != quiet
    set_globals(step_stream())
    with scope(step_stream(9)):
        assert torch.rand(3, device="cuda").tolist() != expected
    assert torch.rand(3, device="cuda").tolist() == expected


@pytest.mark.gpu
def test_cuda_that_is_initialised_in_a_step_begins_where_the_step_says() -> None:
    script = """
import torch
from samerun.streams.source import StreamSource
from samerun.streams.ambient import set_globals
source = StreamSource(7)
step = "ambient/step/{step}/micro/{micro}/rank/{rank}"
for index in (2, 3):
    set_globals(source.open(step, step=index, micro=0, rank=0))
assert not torch.cuda.is_initialized()
print(torch.rand(1, device="cuda").item())
"""
    set_globals(step_stream(3))
    torch.cuda.init()
    set_globals(step_stream(3))
    assert float(run(script)) == torch.rand(1, device="cuda").item()


def test_the_layout_of_an_ambient_stream_is_frozen() -> None:
    words = step_stream().words(627, "global")
    set_globals(step_stream())
    assert random.getrandbits(64) == random.Random(int.from_bytes(words[:2].tobytes(), "little")).getrandbits(64)
    state: Any = np.random.get_state()
    assert state[1].tolist() == words[3:315].view(np.uint32).tolist() and state[2] == MT_WORDS
    assert ambient._END == 627


def test_a_scope_and_code_that_is_cleaned_up_after_are_said_to_have_an_address() -> None:
    assert not ambient.is_in_scope()
    with ambient.scope(step_stream()), ambient.addressed():
        assert ambient.is_in_scope()
    with pytest.raises(ZeroDivisionError), ambient.addressed():
        raise ZeroDivisionError
    assert not ambient.is_in_scope()
