"""What objects hold is read without running their code."""

from __future__ import annotations

import logging
import threading
from types import SimpleNamespace
from typing import Any

import torch

from samerun.run.carried import things
from samerun.run.carried.place import Place


class Slots:
    __slots__ = ("filled", "unset")

    def __init__(self) -> None:
        self.filled = 1


class Both(Slots):
    def __init__(self) -> None:
        super().__init__()
        self.own = 2

    @property
    def asked(self) -> int:
        raise AssertionError

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(name)


def test_attributes_are_those_of_dict_and_slots() -> None:
    assert dict(things.attributes_of(Both())) == {"own": 2, "filled": 1}
    assert dict(things.attributes_of(SimpleNamespace(a=1))) == {"a": 1}
    assert dict(things.attributes_of(3)) == {}


def test_what_holds_no_state_of_a_training_is_left_out() -> None:
    for value in (logging, logging.getLogger("x"), threading.Lock(), torch.nn):
        assert things.is_left_out(value)
    assert things.is_ours(Place("x", "local", "x", "")) and not things.is_ours(Both())
    for value in (Both(), SimpleNamespace(), torch.nn.Linear(1, 1)):
        assert not things.is_left_out(value)


def test_kinds_are_told_by_their_class() -> None:
    model = torch.nn.Linear(1, 1)
    optim = torch.optim.SGD(model.parameters(), 0.1)
    assert things.is_module(model) and not things.is_module(optim)
    assert things.is_optimizer(optim) and things.is_stateful(optim) and not things.is_stateful(Both())
    assert things.has_plain_state(model) and things.has_plain_state(optim) and not things.has_plain_state(Both())
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(2)))
    assert things.is_batch_iterator(iter(loader)) and not things.is_batch_iterator(loader)


def test_hooks_are_named_and_numbered() -> None:
    model = torch.nn.Linear(1, 1)
    for _ in range(2):
        model.register_forward_hook(lambda *_: None)
    assert [name for name, _ in things.hooks_of(model)] == ["forward hook", "forward hook 2"]
    assert "_forward_hooks" in things.module_names() and "weight" not in things.module_names()


def test_other_objects_are_no_loader() -> None:
    assert things.loader_parts(object()) is None
