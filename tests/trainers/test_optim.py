"""Optimizers over named parameter groups."""

from __future__ import annotations

import pytest
import torch

from samerun.errors import ConfigError
from samerun.trainers.config import AdamwTable, GroupTable, SgdTable
from samerun.trainers.optim import adamw, group_parameters, peak_rates, set_rates, sgd


def network() -> torch.nn.Module:
    return torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.LayerNorm(3), torch.nn.Linear(3, 2))


def test_norms_and_biases_are_not_decayed() -> None:
    groups = group_parameters(network(), AdamwTable(weight_decay=0.1))
    assert [(group.weight_decay, group.names) for group in groups] == [
        (0.1, ("0.weight", "2.weight")),
        (0.0, ("0.bias", "1.weight", "1.bias", "2.bias")),
    ]


def test_all_are_decayed_when_the_recipe_says_so() -> None:
    (group,) = group_parameters(network(), AdamwTable(weight_decay=0.1, decay_all=True))
    assert len(group.names) == 6


def test_the_first_pattern_that_matches_a_name_decides() -> None:
    table = AdamwTable(
        learning_rate=0.1,
        weight_decay=0.0,
        groups=(GroupTable(match="2.*", learning_rate=0.5), GroupTable(match="*", learning_rate=0.2)),
    )
    rates = {name: group.learning_rate for group in group_parameters(network(), table) for name in group.names}
    assert rates["2.weight"] == rates["2.bias"] == 0.5
    assert rates["0.weight"] == rates["1.bias"] == 0.2


def test_a_pattern_that_matches_nothing_is_refused_with_the_names() -> None:
    with pytest.raises(ConfigError, match="SR-TRAINER-005") as caught:
        group_parameters(network(), AdamwTable(groups=(GroupTable(match="head.*"),)))
    assert "2.weight" in caught.value.evidence[0]


def test_a_model_without_trainable_parameters_is_refused() -> None:
    with pytest.raises(ConfigError, match="SR-TRAINER-004"):
        group_parameters(network().requires_grad_(False), AdamwTable())


def test_frozen_parameters_are_left_out() -> None:
    model = network()
    model[0].requires_grad_(False)
    names = [name for group in group_parameters(model, AdamwTable()) for name in group.names]
    assert all(not name.startswith("0.") for name in names)


def test_a_factor_multiplies_the_peak_of_each_group() -> None:
    table = SgdTable(learning_rate=0.1, groups=(GroupTable(match="2.*", learning_rate=0.4),))
    optimizer = sgd(table, group_parameters(network(), table))
    peaks = peak_rates(optimizer)
    first = set_rates(optimizer, peaks, 0.5)
    assert first == pytest.approx(0.05)
    assert sorted({group["lr"] for group in optimizer.param_groups}) == pytest.approx([0.05, 0.2])


def test_adamw_takes_its_settings() -> None:
    table = AdamwTable(betas=(0.8, 0.95), epsilon=1e-6)
    optimizer = adamw(table, group_parameters(network(), table))
    assert optimizer.defaults["betas"] == (0.8, 0.95) and optimizer.defaults["eps"] == 1e-6
    assert sum(len(group["params"]) for group in optimizer.param_groups) == 6


def test_a_step_of_sgd_with_momentum_moves_against_the_gradient() -> None:
    model = torch.nn.Linear(1, 1, bias=False)
    table = SgdTable(learning_rate=0.5, momentum=0.9, weight_decay=0.0)
    optimizer = sgd(table, group_parameters(model, table))
    before = float(model.weight.detach())
    model.weight.grad = torch.ones(1, 1)
    optimizer.step()
    optimizer.step()
    assert float(model.weight.detach()) == pytest.approx(before - 0.5 - 0.5 * 1.9)
