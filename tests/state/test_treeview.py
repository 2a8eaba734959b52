"""Any component at every step: the digest of its state now, also where a fingerprint could be fooled."""

from __future__ import annotations

from collections import Counter, OrderedDict
from typing import Any

import numpy as np
import pytest
import torch

from samerun.errors import UsageError
from samerun.state.digest import digest_tree
from samerun.state.treeview import TreeView, fingerprint


class Holder:
    def __init__(self, state: Any) -> None:
        self.state = state

    def state_dict(self) -> Any:
        return self.state

    def load_state_dict(self, state: Any) -> None:
        self.state = state


SEQUENCES: list[list[Any]] = [
    [{"a": 1}, {"a": 2}, {"a": 1}],
    [{"a": 1}, {"a": True}, {"a": 1.0}, {"a": "1"}, {"a": None}],
    [{"a": 0.0}, {"a": -0.0}],
    [{"a": float("nan")}, {"a": -float("nan")}],
    [{"a": [1]}, {"a": (1,)}],
    [{"a": b"\x01"}, {"a": np.array([1], np.uint8)}, {"a": np.array([[1]], np.uint8)}, {"a": np.uint8(1)}],
    [{"a": np.float64(1.5)}, {"a": np.array(1.5)}, {"a": np.array([1.5])}],
    [{"a": np.float64(1.5)}, {"a": np.array(1.5).view(np.int64)}],
    [{"a": 1, "b": 2}, {"b": 2, "a": 1}],
    [{"a": 1}, OrderedDict(a=1), Counter(a=1)],
    [{"a": torch.zeros(2)}, {"a": torch.ones(2)}, {"a": 1}, {"a": torch.zeros(2)}],
    [[], {}, (), None],
]


@pytest.mark.parametrize("states", SEQUENCES, ids=range(len(SEQUENCES)))
def test_the_digest_follows_the_state(states: list[Any]) -> None:
    holder = Holder(None)
    view = TreeView(holder)
    for state in [*states, *states, *reversed(states)]:
        holder.state = state
        for _ in range(2):
            assert view.digest() == digest_tree(state)


def test_a_list_changed_in_place_is_seen() -> None:
    holder = Holder({"a": [1, 2]})
    view = TreeView(holder)
    before = view.digest()
    holder.state["a"][0] = 5
    assert view.digest() == digest_tree(holder.state) != before


def test_a_state_that_cannot_be_held_is_refused_also_after_one_that_could() -> None:
    holder = Holder({"a": 1})
    view = TreeView(holder)
    assert view.digest() == view.digest()
    holder.state = {"a": {1, 2}}
    with pytest.raises(UsageError):
        view.digest()


def test_a_fingerprint_is_given_for_plain_values_only() -> None:
    assert fingerprint({"a": [1, 2.5, "x", None, (True,)]}) is not None
    assert fingerprint({"a": torch.zeros(1)}) is None
    assert fingerprint(OrderedDict()) is None
    assert fingerprint({"x": "a" * 3}) == fingerprint({"x": "aa" + "a"})
