"""The multilayer perceptron."""

from __future__ import annotations

import pytest
import torch

from samerun.errors import ConfigError
from samerun.streams.source import StreamSource
from samerun.trainers.models.config import MlpTable
from samerun.trainers.models.mlp import Mlp, build
from samerun.trainers.models.shape import Shape


def made(config: MlpTable, item: tuple[int, ...] = (1, 8, 8)) -> Mlp:
    return build(config, Shape(item, 10, "classes"), StreamSource(1))


def test_it_gives_one_number_for_each_output_of_items_of_any_shape() -> None:
    assert made(MlpTable()).forward(torch.zeros(5, 1, 8, 8)).shape == (5, 10)
    assert made(MlpTable(), item=(13,)).forward(torch.zeros(5, 13)).shape == (5, 10)


def test_without_hidden_layers_it_is_a_linear_model() -> None:
    model = made(MlpTable(hidden=()))
    assert sum(parameter.numel() for parameter in model.parameters()) == 64 * 10 + 10


def test_dropout_acts_in_training_only() -> None:
    model, items = made(MlpTable(dropout=0.5)), torch.ones(4, 1, 8, 8)
    assert not torch.equal(model.train()(items), model(items))
    assert torch.equal(model.eval()(items), model(items))


def test_every_activation_and_norm_can_be_built() -> None:
    for activation in ("relu", "gelu", "tanh"):
        model = made(MlpTable(activation=activation, norm="layernorm"))
        assert bool(model(torch.ones(2, 1, 8, 8)).isfinite().all())


def test_text_is_refused() -> None:
    with pytest.raises(ConfigError, match="SR-TRAINER-001"):
        build(MlpTable(), Shape((128,), 256, "tokens"), StreamSource(1))
