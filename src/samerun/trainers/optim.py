"""Optimizers over named parameter groups, and the learning rate of a step. Schedules are in schedules.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import torch
from torch import nn

from samerun.errors import ConfigError
from samerun.trainers.config import AdamwTable, GroupTable, OptimizerTable, SgdTable


@dataclass(frozen=True)
class ParameterGroup:
    """Parameters that share a peak learning rate and a weight decay. Names are sorted as the model lists them."""

    names: tuple[str, ...]
    parameters: tuple[nn.Parameter, ...]
    learning_rate: float
    weight_decay: float


def group_parameters(model: nn.Module, config: OptimizerTable) -> list[ParameterGroup]:
    """Sort the trainable parameters of `model` into groups, in the order of their first parameter.

    The first of `config.groups` whose pattern matches a parameter's name decides its rate and decay. Otherwise weight
    decay is for tensors of two or more dimensions only, unless `decay_all`: norms and biases are not drawn to zero.
    A pattern that matches nothing, or a model without trainable parameters, is a ConfigError.
    """
    gathered: dict[tuple[float, float], list[tuple[str, nn.Parameter]]] = {}
    unmatched = {group.match for group in config.groups}
    trainable = [(name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad]
    for name, parameter in trainable:
        group = _matching_group(name, config.groups)
        unmatched -= {group.match} if group else set()
        gathered.setdefault(_settings(parameter, config, group), []).append((name, parameter))
    _check_groups(sorted(unmatched), [name for name, _ in trainable])
    return [
        ParameterGroup(tuple(name for name, _ in members), tuple(p for _, p in members), rate, decay)
        for (rate, decay), members in gathered.items()
    ]


def adamw(config: AdamwTable, groups: Sequence[ParameterGroup]) -> torch.optim.Optimizer:
    """Build AdamW (Loshchilov and Hutter 2019)."""
    return torch.optim.AdamW(_as_torch(groups), lr=config.learning_rate, betas=config.betas, eps=config.epsilon)


def sgd(config: SgdTable, groups: Sequence[ParameterGroup]) -> torch.optim.Optimizer:
    """Build stochastic gradient descent, with momentum where `momentum` > 0."""
    return torch.optim.SGD(
        _as_torch(groups), lr=config.learning_rate, momentum=config.momentum, nesterov=config.nesterov
    )


def peak_rates(optimizer: torch.optim.Optimizer) -> tuple[float, ...]:
    """Return the learning rate of each group before any schedule."""
    return tuple(float(group["lr"]) for group in optimizer.param_groups)


def set_rates(optimizer: torch.optim.Optimizer, peaks: Sequence[float], factor: float) -> float:
    """Set each group's learning rate to factor x peak; return the first group's rate."""
    for group, peak in zip(optimizer.param_groups, peaks, strict=True):
        group["lr"] = peak * factor
    return float(optimizer.param_groups[0]["lr"])


def _matching_group(name: str, groups: Sequence[GroupTable]) -> GroupTable | None:
    return next((group for group in groups if fnmatchcase(name, group.match)), None)


def _settings(parameter: nn.Parameter, config: OptimizerTable, group: GroupTable | None) -> tuple[float, float]:
    rate = config.learning_rate
    decay = config.weight_decay if config.decay_all or parameter.ndim >= 2 else 0.0
    if group is not None:
        rate = rate if group.learning_rate is None else group.learning_rate
        decay = decay if group.weight_decay is None else group.weight_decay
    return rate, decay


def _check_groups(unmatched: list[str], names: list[str]) -> None:
    if not names:
        raise ConfigError(
            "SR-TRAINER-004",
            "the model has no trainable parameter",
            evidence=["named_parameters() gave none with requires_grad"],
            do="choose a model with weights to train",
        )
    if unmatched:
        raise ConfigError(
            "SR-TRAINER-005",
            f"optimizer.groups: no parameter is named like {', '.join(unmatched)}",
            evidence=[f"parameters: {', '.join(names[:20])}{' ...' if len(names) > 20 else ''}"],
            do="write a pattern that matches a parameter's name, such as '*.bias' or 'head.*'",
        )


def _as_torch(groups: Sequence[ParameterGroup]) -> list[dict[str, object]]:
    return [
        {"params": list(group.parameters), "lr": group.learning_rate, "weight_decay": group.weight_decay}
        for group in groups
    ]
