"""Tokens are equal where values are, and no code of the user's runs for one."""

from __future__ import annotations

import math
from collections import Counter, defaultdict, deque
from enum import Enum
from typing import Any

import numpy as np
import pytest
import torch

from samerun.run.carried import tokens
from samerun.run.carried.tokens import Unreadable, builtin_length, data_token, items_of, plain_token


class Colour(Enum):
    RED = 1


DIFFERENT: list[Any] = [
    1,
    1.0,
    True,
    "1",
    b"1",
    None,
    0.0,
    -0.0,
    math.nan,
    [1],
    (1,),
    {1},
    {"a": 1},
    {"a": 1.0},
    deque([1]),
    Counter({"a": 1}),
    defaultdict(int, {"a": 1}),
    Colour.RED,
    torch.float32,
    np.float32(1),
    range(1),
    list(range(100)),
    [*range(99), 98],
]


def test_plain_values_have_tokens_of_their_own() -> None:
    found = [plain_token(value) for value in DIFFERENT]
    assert None not in found
    assert len({token for token, _ in found if token}) == len(DIFFERENT)  # type: ignore[misc]


def test_the_order_of_a_set_does_not_count() -> None:
    assert plain_token({"a", "b", "c"}) == plain_token({"c", "b", "a"})


def test_what_is_not_plain_has_no_plain_token() -> None:
    for value in (object(), [object()], torch.ones(1), {"a": [torch.ones(1)]}):
        assert plain_token(value) is None


def test_tensors_arrays_and_generators_are_told_by_their_bits() -> None:
    for value, other in (
        (torch.ones(3), torch.zeros(3)),
        (np.ones(3), np.ones(3, np.float32)),
        (np.random.default_rng(1), np.random.default_rng(2)),
    ):
        assert data_token(value) == data_token(value) != data_token(other)
    assert data_token(torch.tensor(2.5)) == data_token(torch.tensor(2.5, requires_grad=True))
    assert (data_token(torch.tensor(2.5)) or ("", ""))[1] == "2.5"
    assert data_token("text") is None


def test_what_cannot_be_read_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Unreadable):
        data_token(torch.eye(2).to_sparse())
    monkeypatch.setattr(tokens, "LARGEST_BYTES", 8)
    with pytest.raises(Unreadable, match="larger"):
        data_token(np.ones(3))


def test_a_subclass_of_a_container_is_not_asked() -> None:
    class Odd(dict[str, int]):
        def items(self) -> Any:
            raise AssertionError

        def __len__(self) -> int:
            raise AssertionError

    assert list(items_of(Odd(a=1))) == [("a", 1)]
    assert builtin_length(Odd(a=1)) == 1
    assert list(items_of({object()})) == []
