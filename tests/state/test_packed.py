"""A packed state knows its size, and whether it is that of a torch module."""

from __future__ import annotations

import numpy as np
import torch

from samerun.state.tree import pack


def test_its_bytes_are_those_of_all_tensors() -> None:
    assert pack({"a": np.zeros(3), "b": [torch.zeros(2, dtype=torch.int16)], "c": 1}).nbytes == 24 + 4


def test_only_a_modules_state_dict_is_one() -> None:
    module = torch.nn.Linear(2, 1)
    assert pack(module.state_dict()).is_module
    assert not pack(dict(module.state_dict())).is_module
    assert not pack([1, 2]).is_module
