"""One step of supervised learning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import nn

from samerun.run.step import Step
from samerun.state.restore import load_into, state_of
from samerun.streams.source import StreamSource
from samerun.trainers.config import AdamwTable, ConstantTable, SgdTable
from samerun.trainers.ema import MovingAverage
from samerun.trainers.models.shape import Shape
from samerun.trainers.optim import adamw, group_parameters, sgd
from samerun.trainers.schedules import constant
from samerun.trainers.supervised.evaluate import Batch
from samerun.trainers.supervised.tasks.task import Task
from samerun.trainers.supervised.trainer import LearnSettings, SupervisedTrainer

INPUTS = torch.linspace(-1.0, 1.0, 24 * 5).view(24, 5)
TARGETS = torch.arange(24) % 3
TASK = Task(shape=Shape((5,), 3, "classes"), splits={"test": (INPUTS, TARGETS)})
SOURCE = StreamSource(11)


def network(dropout: float = 0.0) -> nn.Module:
    model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Dropout(dropout), nn.Linear(8, 3))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.linspace(-0.5, 0.5, parameter.numel()).view_as(parameter))
    return model


def batches() -> Iterator[Batch]:
    while True:
        for start in range(0, 24, 12):
            yield INPUTS[start : start + 12], TARGETS[start : start + 12]


def trainer_of(dropout: float = 0.0, *, average: bool = False, warmup: int = 0, **settings: Any) -> SupervisedTrainer:
    model, table = network(dropout), AdamwTable(learning_rate=0.05)
    return SupervisedTrainer(
        TASK,
        model,
        adamw(table, group_parameters(model, table)),
        constant(ConstantTable(warmup_steps=warmup), None),
        batches(),
        LearnSettings(**settings),
        average=MovingAverage(model, 0.9) if average else None,
    )


def step_of(index: int) -> Step:
    SOURCE.begin_step()
    step = Step(index, SOURCE)
    step.reset_ambient()
    return step


def learn(trainer: SupervisedTrainer, steps: range) -> list[dict[str, float]]:
    rows = []
    for index in steps:
        step = step_of(index)
        numbers = trainer.learn(step, trainer.collect(step))
        rows.append({name: float(value) for name, value in numbers.items()})
    return rows


def weights(trainer: SupervisedTrainer) -> dict[str, torch.Tensor]:
    return {name: tensor.clone() for name, tensor in trainer.model.state_dict().items()}


def test_the_loss_falls() -> None:
    rows = learn(trainer_of(), range(60))
    assert rows[-1]["train/loss"] < 0.8 * rows[0]["train/loss"]


def test_the_rate_is_that_of_the_schedule_at_this_step() -> None:
    rows = learn(trainer_of(warmup=4), range(5))
    assert [row["train/learning_rate"] for row in rows] == pytest.approx([0.0125, 0.025, 0.0375, 0.05, 0.05])


@pytest.mark.parametrize("accumulate", [2, 3, 5, 12, 50])
def test_accumulating_micro_batches_does_not_change_the_sum(accumulate: int) -> None:
    whole, cut = trainer_of(), trainer_of(accumulate=accumulate)
    (first,), (second,) = learn(whole, range(1)), learn(cut, range(1))
    assert second["train/loss"] == pytest.approx(first["train/loss"], rel=1e-6)
    gradients = [[parameter.grad for parameter in one.model.parameters()] for one in (whole, cut)]
    for ours, theirs in zip(*gradients, strict=True):
        torch.testing.assert_close(ours, theirs)


def test_each_micro_batch_has_dropout_of_its_own() -> None:
    halves = trainer_of(dropout=0.5, accumulate=2)
    step = step_of(0)
    masks = []
    halves.model[2].register_forward_hook(lambda _module, _inputs, output: masks.append(output == 0))  # type: ignore[operator]
    same = INPUTS[:6].repeat(2, 1)
    halves.learn(step, (same, TARGETS[:12]))
    assert len(masks) == 2 and not torch.equal(masks[0], masks[1])


def test_dropout_is_a_function_of_the_step() -> None:
    first, second = trainer_of(dropout=0.5), trainer_of(dropout=0.5)
    torch.manual_seed(1)
    rows = learn(first, range(4))
    torch.manual_seed(2)
    assert learn(second, range(4)) == rows


def test_the_gradient_is_clipped_and_its_norm_is_that_before() -> None:
    trainer = trainer_of(clip_norm=1e-3)
    (row,) = learn(trainer, range(1))
    total = torch.stack([parameter.grad.norm() for parameter in trainer.model.parameters()]).norm()  # type: ignore[union-attr]
    assert row["train/gradient_norm"] > 1e-3
    assert float(total) == pytest.approx(1e-3, rel=1e-3)


def test_autocast_in_bfloat16_learns_close_to_single_precision() -> None:
    single, half = learn(trainer_of(), range(5)), learn(trainer_of(mixed_precision="bf16"), range(5))
    assert half[0]["train/loss"] == pytest.approx(single[0]["train/loss"], rel=2e-2)
    assert half[0]["train/loss"] != single[0]["train/loss"]


def test_half_precision_scales_the_loss_and_leaves_out_a_step_that_is_not_finite() -> None:
    trainer = trainer_of(mixed_precision="fp16")
    scaler = trainer.state()["scaler"]
    before = weights(trainer)
    trainer.learn(step_of(0), (INPUTS[:12] * 1e6, TARGETS[:12]))
    after = weights(trainer)
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert scaler.get_scale() == 2.0**15  # type: ignore[attr-defined]
    learn(trainer, range(1, 3))
    assert not all(torch.equal(before[name], weights(trainer)[name]) for name in before)


def test_clipping_sees_gradients_without_the_loss_scale() -> None:
    single, half = trainer_of(clip_norm=1e9), trainer_of(clip_norm=1e9, mixed_precision="fp16")
    (first,), (second,) = learn(single, range(1)), learn(half, range(1))
    assert second["train/gradient_norm"] == pytest.approx(first["train/gradient_norm"], rel=2e-2)


def test_evaluation_uses_the_moving_average_where_there_is_one() -> None:
    plain, averaged = trainer_of(), trainer_of(average=True)
    learn(plain, range(3))
    learn(averaged, range(3))
    assert all(torch.equal(weights(plain)[name], weights(averaged)[name]) for name in weights(plain))
    assert plain.evaluate("test") != averaged.evaluate("test")


def test_label_smoothing_raises_the_loss_of_a_sure_guess() -> None:
    plain, smooth = trainer_of(), trainer_of(label_smoothing=0.3)
    learn(plain, range(80))
    load_into(smooth.model, state_of(plain.model), name="model")
    (first,), (second,) = learn(plain, range(80, 81)), learn(smooth, range(80, 81))
    assert second["train/loss"] > first["train/loss"]


def test_a_model_of_several_rates_keeps_their_ratio() -> None:
    model, table = network(), SgdTable.model_validate_json('{"groups": [{"match": "3.*", "learning_rate": 0.01}]}')
    optimizer = sgd(table, group_parameters(model, table))
    schedule = constant(ConstantTable(warmup_steps=10), None)
    trainer = SupervisedTrainer(TASK, model, optimizer, schedule, batches(), LearnSettings())
    learn(trainer, range(1))
    assert sorted({group["lr"] for group in optimizer.param_groups}) == pytest.approx([1e-4, 1e-3])


@pytest.mark.parametrize("split", range(6))
def test_a_restart_at_every_step_ends_in_the_same_bits(split: int) -> None:
    options: dict[str, Any] = {
        "dropout": 0.3,
        "accumulate": 2,
        "clip_norm": 0.5,
        "average": True,
        "mixed_precision": "fp16",
        "warmup": 3,
    }
    whole, first, second = (trainer_of(**options) for _ in range(3))
    rows = learn(whole, range(6))
    before = learn(first, range(split))
    for _ in range(split):
        second.collect(step_of(0))
    for name, thing in first.state().items():
        if name != "batches":
            load_into(second.state()[name], state_of(thing), name=name)
    assert before + learn(second, range(split, 6)) == rows
    assert all(torch.equal(weights(whole)[name], weights(second)[name]) for name in weights(whole))
