"""The moving average of the weights."""

from __future__ import annotations

import pytest
import torch

from samerun.trainers.ema import MovingAverage, decay_of_update


def line(weight: float) -> torch.nn.Module:
    model = torch.nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        model.weight.fill_(weight)
    return model


def weight_of(average: MovingAverage) -> float:
    return float(next(average.model.parameters()))


def test_the_decay_is_warmed_up_by_the_count_of_updates() -> None:
    assert [decay_of_update(updates, 0.99) for updates in (0, 8, 10**6)] == pytest.approx([0.1, 0.5, 0.99])


def test_updates_follow_the_recurrence() -> None:
    model, average = line(1.0), None
    average = MovingAverage(model, decay=0.9)
    expected = 1.0
    for updates, weight in enumerate([2.0, -1.0, 4.0]):
        with torch.no_grad():
            model.weight.fill_(weight)
        average.update(model)
        decay = decay_of_update(updates, 0.9)
        expected = decay * expected + (1.0 - decay) * weight
        assert weight_of(average) == pytest.approx(expected)


def test_the_average_takes_no_gradient_and_is_in_eval_mode() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout(0.5)).train()
    average = MovingAverage(model, decay=0.9)
    assert not average.model.training and model.training
    assert not any(parameter.requires_grad for parameter in average.model.parameters())


def test_buffers_are_copied_as_they_are() -> None:
    model = torch.nn.BatchNorm1d(2)
    average = MovingAverage(model, decay=0.9)
    model(torch.tensor([[1.0, 2.0], [3.0, 5.0]]))
    average.update(model)
    for ours, theirs in zip(average.model.buffers(), model.buffers(), strict=True):
        assert torch.equal(ours, theirs)


def test_the_count_of_updates_survives_a_restart() -> None:
    model = line(1.0)
    whole, half = MovingAverage(model, decay=0.999), MovingAverage(model, decay=0.999)
    with torch.no_grad():
        model.weight.fill_(3.0)
    whole.update(model)
    half.update(model)
    resumed = MovingAverage(line(7.0), decay=0.999)
    resumed.load_state_dict(half.state_dict())
    whole.update(model)
    resumed.update(model)
    assert resumed.updates == 2
    assert weight_of(resumed) == weight_of(whole)
