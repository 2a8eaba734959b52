from __future__ import annotations

import pytest
import torch

from samerun.judge.roles import CAUSE_ORDER, leaf_rank, rank_of, role_of
from samerun.state.digest import digest_leaves


def leaves(thing: object) -> list[str]:
    return list(digest_leaves(thing.state_dict()))  # type: ignore[attr-defined]


def test_the_parts_of_a_torch_loop_are_told_by_their_leaves_whatever_they_are_called() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    optim = torch.optim.AdamW(model.parameters())
    assert role_of("x", leaves(model)) == "module"
    assert role_of("x", leaves(torch.nn.Linear(1, 1))) == "module"
    assert role_of("x", leaves(optim)) == "optimizer"
    assert role_of("x", leaves(torch.optim.lr_scheduler.StepLR(optim, 3))) == "scheduler"
    assert role_of("x", leaves(torch.optim.swa_utils.AveragedModel(model))) == "average"


@pytest.mark.parametrize(
    ("name", "found", "role"),
    [
        ("batches", ["cursor", "epoch", "items"], "loader"),
        ("values", [""], "values"),
        ("gradients", ["fc.weight"], "gradients"),
        ("ema", ["model/fc.weight", "updates"], "average"),
        ("optim", [], "optimizer"),
        ("net", [], "module"),
        ("world", ["count"], "other"),
    ],
)
def test_the_others_are_told_by_name(name: str, found: list[str], role: str) -> None:
    assert role_of(name, found) == role


def test_the_model_comes_before_what_follows_it() -> None:
    order = sorted(["values", "model", "optim", "ema", "gradients"], key=lambda name: rank_of(name, []))
    assert order == ["gradients", "model", "optim", "ema", "values"]
    assert len(CAUSE_ORDER) == len(set(CAUSE_ORDER))


def test_a_rate_comes_before_slots_and_a_parameter_before_a_buffer() -> None:
    assert sorted(["state/0/exp_avg", "param_groups/0/lr"], key=leaf_rank)[0] == "param_groups/0/lr"
    assert sorted(["1.running_mean", "1.weight"], key=leaf_rank)[0] == "1.weight"
