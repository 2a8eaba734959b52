"""Starting weights."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from samerun.checkpoint.read import read_checkpoint
from samerun.checkpoint.store import find
from samerun.errors import MissingError, NoMatchError, RefusedError

Train = Callable[..., Any]
"""The fixture `train` of conftest.py."""


def weights_at(run: Any, step: int) -> dict[str, torch.Tensor]:
    tree = read_checkpoint(find(run.record.folder / "checkpoints", step).path).tree("model")
    return {name: tensor.clone() for name, tensor in tree.items()}


def inputs_of(run: Any) -> dict[str, str]:
    found: dict[str, str] = json.loads((run.record.folder / "identity.json").read_text())["experiment"]["inputs"]
    return found


def test_a_run_starts_from_the_weights_of_another_with_a_fresh_optimizer(train: Train) -> None:
    first = train(runs="runs", name="first")
    last = weights_at(first, 6)
    second = train(name="second", init={"from": "first@last"}, steps=2)
    assert all(torch.equal(last[name], tensor) for name, tensor in weights_at(second, 0).items())
    assert [row["step"] for row in second.rows] == [0, 1]
    optimizer = read_checkpoint(find(second.record.folder / "checkpoints", 0).path).tree("optimizer")
    assert optimizer["state"] == {}


def test_weights_of_a_file_count_by_content(train: Train, tmp_path: Path) -> None:
    drawn = weights_at(train(name="drawn"), 0)
    save_file({name: tensor + 0.5 for name, tensor in drawn.items()}, tmp_path / "weights.safetensors")
    one = train(name="one", init={"from": "weights.safetensors"})
    assert all(torch.equal(drawn[name] + 0.5, tensor) for name, tensor in weights_at(one, 0).items())
    save_file({name: tensor - 0.5 for name, tensor in drawn.items()}, tmp_path / "weights.safetensors")
    other = train(name="other", init={"from": "weights.safetensors"})
    assert inputs_of(one) != inputs_of(other)


def test_a_run_goes_on_after_its_starting_weights_are_gone(train: Train, tmp_path: Path) -> None:
    save_file(weights_at(train(name="drawn"), 6), tmp_path / "weights.safetensors")
    whole = train(runs="whole", init={"from": "weights.safetensors"})
    train(runs="parts", stop_after=3, init={"from": "weights.safetensors"})
    (tmp_path / "weights.safetensors").unlink()
    assert train(runs="parts", init={"from": "weights.safetensors"}).rows == whole.rows


def test_other_starting_weights_are_refused_by_a_repeated_start_and_not_read_by_a_resume(
    train: Train, tmp_path: Path
) -> None:
    weights = weights_at(train(name="drawn"), 6)
    save_file(weights, tmp_path / "weights.safetensors")
    whole = train(runs="whole", init={"from": "weights.safetensors"})
    parts = train(runs="parts", stop_after=3, init={"from": "weights.safetensors"})
    save_file({name: tensor + 0.5 for name, tensor in weights.items()}, tmp_path / "weights.safetensors")
    with pytest.raises(RefusedError, match="SR-RUN-015") as caught:
        train(runs="parts", init={"from": "weights.safetensors"})
    assert "weights.safetensors" in caught.value.evidence[0]
    resumed = train(runs="parts", resumed=parts.record.folder, init={"from": "weights.safetensors"})
    assert resumed.rows == whole.rows
    assert [row["inputs"] for row in resumed.record.events() if row["event"] == "input_not_read"] == [
        ["input/weights.safetensors"]
    ]


def test_weights_of_another_shape_are_refused_by_name(train: Train, tmp_path: Path) -> None:
    save_file({"layers.1.weight": torch.zeros(3, 3)}, tmp_path / "weights.safetensors")
    with pytest.raises(RefusedError, match="init"):
        train(init={"from": "weights.safetensors"})


def test_a_file_without_weights_is_refused(train: Train, tmp_path: Path) -> None:
    (tmp_path / "weights.safetensors").write_bytes(b"nothing")
    with pytest.raises(MissingError, match="SR-TRAINER-013"):
        train(init={"from": "weights.safetensors"})


def test_a_checkpoint_that_is_not_there_is_refused(train: Train) -> None:
    train(name="first")
    with pytest.raises(NoMatchError, match="SR-TRAINER-012"):
        train(name="second", init={"from": "first@best"})
