"""Initial weights as draws from named streams."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from samerun.streams.source import StreamSource
from samerun.trainers.models.init import deviation_bound, draw_weights, fan_in, he_bound


def network() -> nn.Module:
    return nn.Sequential(nn.Embedding(50, 8), nn.Linear(8, 64), nn.LayerNorm(64), nn.Linear(64, 4))


def drawn(model: nn.Module, seed: int, bound: float = 0.5) -> nn.Module:
    draw_weights(model, StreamSource(seed), lambda _name, _layer: bound)
    return model


def test_the_same_seed_gives_the_same_weights_whatever_the_global_generator_says() -> None:
    torch.manual_seed(1)
    first = drawn(network(), seed=7).state_dict()
    torch.manual_seed(2)
    second = drawn(network(), seed=7).state_dict()
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_another_seed_gives_other_weights() -> None:
    first, second = drawn(network(), seed=7).state_dict(), drawn(network(), seed=8).state_dict()
    assert not torch.equal(first["1.weight"], second["1.weight"])


def test_a_layer_more_moves_the_weights_of_no_other() -> None:
    small = nn.ModuleDict({"a": nn.Linear(3, 3), "b": nn.Linear(3, 3)})
    large = nn.ModuleDict({"a": nn.Linear(3, 3), "between": nn.Linear(9, 9), "b": nn.Linear(3, 3)})
    drawn(small, seed=7)
    drawn(large, seed=7)
    assert torch.equal(small["b"].weight, large["b"].weight)


def test_weights_lie_within_the_bound_and_fill_it() -> None:
    weight = drawn(network(), seed=3)[1].weight
    assert float(weight.detach().abs().max()) <= 0.5
    assert float(weight.detach().abs().max()) > 0.49
    assert float(weight.detach().std()) == pytest.approx(0.5 / math.sqrt(3.0), rel=0.1)


def test_biases_are_zero_and_norms_are_kept() -> None:
    model = drawn(network(), seed=3)
    assert not bool(model[1].bias.any()) and not bool(model[3].bias.any())
    assert bool((model[2].weight == 1.0).all())


def test_a_weight_shared_by_two_layers_is_drawn_once_under_its_first_name() -> None:
    tied, alone = nn.ModuleDict({"a": nn.Linear(4, 4), "b": nn.Linear(4, 4)}), nn.ModuleDict({"a": nn.Linear(4, 4)})
    tied["b"].weight = tied["a"].weight
    drawn(tied, seed=5)
    drawn(alone, seed=5)
    assert torch.equal(tied["b"].weight, alone["a"].weight)


def test_bounds_follow_their_sources() -> None:
    assert he_bound(6) == 1.0
    assert deviation_bound(1.0) == pytest.approx(math.sqrt(3.0))
    assert fan_in(nn.Conv2d(3, 5, kernel_size=3)) == 27
