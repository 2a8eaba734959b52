"""Tracked tensors have names, everything else has none."""

from __future__ import annotations

import torch

from samerun.rerun.tracing.subjects import Subjects, storage_of


def test_parameters_slots_and_gradients_are_named() -> None:
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    subjects = Subjects({"net": model, "optimizer": optimizer, "values": {"epoch": 1}})
    assert subjects.name_of(model.weight) == "net.weight"
    assert subjects.name_of(optimizer.state[model.weight]["momentum_buffer"]) == "optimizer.state.0.momentum_buffer"
    assert model.weight.grad is not None and subjects.name_of(model.weight.grad) is None
    subjects.note_gradients(optimizer)
    assert subjects.name_of(model.weight.grad) == "net.weight.grad"
    subjects.forget_gradients()
    assert subjects.name_of(model.weight.grad) is None


def test_other_tensors_have_no_name() -> None:
    model = torch.nn.Linear(2, 1)
    subjects = Subjects({"net": model})
    assert subjects.name_of(torch.ones(2)) is None
    assert subjects.name_of(torch.eye(2).to_sparse()) is None


def test_memory_is_owned_by_tracked_tensors_and_views_of_them_alone() -> None:
    model = torch.nn.Linear(2, 1)
    subjects = Subjects({"net": model})
    assert subjects.owns(storage_of(model.weight[0])) and not subjects.owns(storage_of(torch.ones(2)))
    assert not subjects.owns(storage_of(torch.eye(2).to_sparse()))
