"""One turn of the loop as the user sees it."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch

from samerun.errors import UsageError
from samerun.run.step import Step
from samerun.streams.stream import StreamSource


def step_of(index: int, seed: int = 7, rank: int = 0) -> Step:
    return Step(index, StreamSource(seed), rank)


def drawn() -> tuple[float, float, float]:
    return random.random(), float(np.random.rand()), torch.rand(1).item()


def test_a_name_without_a_group_is_of_the_training() -> None:
    step = step_of(0)
    step.log({"val/x": 1}, loss=2)
    assert step.logged == {"val/x": 1, "train/loss": 2}


def test_a_number_logged_twice_is_refused_with_both() -> None:
    step = step_of(4)
    step.log(loss=1)
    with pytest.raises(UsageError) as caught:
        step.log({"train/loss": 2})
    assert caught.value.code == "SR-RUN-002" and caught.value.evidence == ("first: 1", "second: 2")
    assert step.logged == {"train/loss": 1}


def test_a_logged_tensor_holds_no_graph() -> None:
    step = step_of(0)
    step.log(loss=torch.ones(1, requires_grad=True) * 2)
    assert not step.logged["train/loss"].requires_grad


def test_global_generators_are_a_function_of_seed_step_and_micro_batch() -> None:
    seen = {}
    for seed in (7, 8):
        for index in (0, 1):
            step = step_of(index, seed)
            for micro in step.micros(2):
                seen[seed, index, micro] = drawn()
    assert len(set(seen.values())) == 8
    torch.rand(5)
    step = step_of(1)
    step._source.begin_step()
    step.enter_micro(1, is_update=True)
    assert drawn() == seen[7, 1, 1]


def test_ranks_draw_apart() -> None:
    step_of(0).reset_ambient()
    first = drawn()
    step_of(0, rank=1).reset_ambient()
    assert drawn() != first


def test_the_last_micro_batch_updates() -> None:
    step = step_of(0)
    assert step.is_update
    assert [(micro, step.micro, step.is_update) for micro in step.micros(3)] == [
        (0, 0, False),
        (1, 1, False),
        (2, 2, True),
    ]


def test_a_stream_is_named_by_the_step_and_opens_once() -> None:
    step = step_of(3)
    number = float(step.stream("noise").uniform())
    with pytest.raises(UsageError, match="SR-STREAM-002"):
        step.stream("noise")
    assert number == float(step_of(3).stream("noise").uniform()) != float(step_of(4).stream("noise").uniform())
    assert number != float(step.stream("noise", layer=1).uniform())
