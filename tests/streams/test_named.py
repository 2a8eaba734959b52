"""One stream: numbers follow from seed and name only, generators are apart, counts are exact."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from samerun.errors import MissingError, UsageError
from samerun.streams.named import Stream
from samerun.streams.source import Streams, StreamSource

DRAWS: dict[str, Callable[[Stream], Any]] = {
    "uniform": lambda stream: stream.uniform(5).tolist(),
    "one uniform": lambda stream: stream.uniform(),
    "integers": lambda stream: stream.integers(0, 1000, 3).tolist(),
    "one integer": lambda stream: stream.integers(-5, 5),
    "permutation": lambda stream: stream.permutation(7).tolist(),
    "choice": lambda stream: stream.choice(100, 4).tolist(),
}


def make(name: str = "x", **keywords: int) -> Stream:
    return Streams(7).stream(name, **keywords)


def test_the_same_seed_and_name_give_the_same_numbers() -> None:
    for draw in DRAWS.values():
        assert draw(make()) == draw(make())
        assert draw(make()) != draw(make("y"))
        assert draw(make()) != draw(Streams(8).stream("x"))


def test_what_other_streams_draw_in_between_changes_nothing() -> None:
    alone, disturbed, other = make(), make(), make("other")
    for draw in [*DRAWS.values()] * 2:
        expected = draw(alone)
        other.uniform(3)
        other.integers(0, 9)
        assert draw(disturbed) == expected


def test_one_number_and_many_are_the_same_sequence() -> None:
    one, many = make(), make()
    assert [one.uniform() for _ in range(9)] == many.uniform(9).tolist()
    assert [one.integers(0, 10**18) for _ in range(9)] == many.integers(0, 10**18, 9).tolist()


def test_frozen_draws_and_each_generator_have_numbers_of_their_own() -> None:
    stream = make()
    firsts = [
        stream.words(1)[0],
        stream.numpy().bit_generator.random_raw(),
        stream.python().getrandbits(64),
        int(stream.torch().get_state()[24:32].numpy().view(np.uint64)[0]),
        stream.child("a").words(1)[0],
        stream.words(1, "global")[0],
    ]
    assert len({int(first) for first in firsts}) == len(firsts)


def test_a_generator_is_made_once() -> None:
    stream = make()
    assert stream.numpy() is stream.numpy()
    assert stream.python() is stream.python()
    assert stream.torch() is stream.torch("cpu")


def test_a_count_is_what_was_handed_out() -> None:
    stream = make()
    stream.uniform()
    stream.uniform((2, 3))
    stream.integers(0, 10)
    stream.integers(0, 10, 4)
    stream.permutation(5)
    stream.choice(100, 6)
    assert stream.count == 1 + 6 + 1 + 4 + 5 + 6
    stream.numpy().random(10)
    assert stream.count == 23 + 10
    stream.python().getrandbits(32)
    assert stream.count == 33 + 1
    torch.rand(7, generator=stream.torch())
    assert stream.count == 34 + 7


def test_words_are_neither_counted_nor_moved() -> None:
    stream = make()
    assert stream.words(3).tolist() == stream.words(3).tolist()
    assert stream.count == 0
    assert stream.uniform() == make().uniform()


def test_children_differ_from_parents_siblings_and_twins() -> None:
    parent = make()
    names: list[tuple[Any, ...]] = [(), ("",), ("a",), (1,), ("1",), ("a", "b"), ("a/b",)]
    firsts = [parent.uniform(), *(parent.child(*name).uniform() for name in names)]
    firsts += [parent.child("a").child("b").uniform(), Streams(7).stream("x", "a").uniform()]
    assert len(set(firsts)) == len(firsts)
    assert parent.child(layer=2).uniform() == parent.child("layer", 2).uniform()


def test_names_and_templates_are_for_people() -> None:
    stream = StreamSource(7).open("data/order/epoch/{epoch}", epoch=3)
    assert stream.name == "data/order/epoch/3"
    assert stream.template == "data/order/epoch/{epoch}"
    assert stream.child("tail", part=1).name == "data/order/epoch/3/child/tail/part/1"
    assert repr(stream) == "<Stream data/order/epoch/3, 0 drawn>"


def test_a_full_torch_state_has_no_32_bit_trap() -> None:
    # torch.Generator().manual_seed(s) keeps the low 32 bits of s on the CPU
    words = [
        Streams(seed).stream("x").torch().get_state()[24:].numpy().tobytes()
        for seed in (5, 5 + 2**32, 5 + 2**64, 5 + 2**96)
    ]
    assert len(set(words)) == 4
    trap = [torch.rand(3, generator=torch.Generator().manual_seed(seed)).tolist() for seed in (5, 5 + 2**32)]
    assert trap[0] == trap[1], "torch no longer truncates: the reason for the full state may be gone"


def test_first_draws_do_not_collide_over_ranks_workers_episodes_turns_and_samples() -> None:
    # ray#46986, Lightning#6960: neighbouring seeds and ranks must not share numbers.
    firsts = set()
    grid = list(itertools.product(range(3), range(3), range(4), range(4), range(4)))
    for seed in (0, 1, 2, 1000):
        streams = Streams(seed)
        for rank, worker, episode, turn, sample in grid:
            stream = streams.stream("x", rank=rank, worker=worker, episode=episode, turn=turn, sample=sample)
            firsts.add(int(stream.words(1)[0]))
    assert len(firsts) == 4 * len(grid)


def test_swapped_coordinates_are_other_streams() -> None:
    streams = Streams(7)
    firsts = {streams.stream("x", a, b).uniform() for a in range(20) for b in range(20)}
    assert len(firsts) == 400


def test_a_device_without_generator_is_refused() -> None:
    with pytest.raises(MissingError) as caught:
        make().torch("mps")
    assert caught.value.code == "SR-STREAM-006"


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_cuda_that_is_absent_is_an_error_not_the_cpu() -> None:
    with pytest.raises(MissingError):
        make().torch("cuda")


def test_opening_a_stream_in_a_recomputed_region_is_an_error_not_another_mask() -> None:
    # OLMo-core#828: dropout drawn again at recomputation. Ambient dropout is right there: torch restores it.
    from torch.utils.checkpoint import checkpoint

    source = StreamSource(7)

    def region(x: torch.Tensor) -> torch.Tensor:
        mask = torch.rand(3, generator=source.user("mask").torch())
        return (x * mask).sin()

    loss = checkpoint(region, torch.ones(3, requires_grad=True), use_reentrant=False).sum()
    with pytest.raises(UsageError, match="SR-STREAM-002"):
        loss.backward()


def test_a_child_is_opened_once_in_a_step() -> None:
    source = StreamSource(7)
    stream = source.user("a")
    stream.child("x")
    with pytest.raises(UsageError) as caught:
        stream.child("x")
    assert caught.value.code == "SR-STREAM-002"
    assert "a/child/x" in str(caught.value)
