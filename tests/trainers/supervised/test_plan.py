"""From a recipe to a trainer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from samerun.config.layers import resolve
from samerun.data.loader import Loader
from samerun.errors import ConfigError
from samerun.streams.source import StreamSource
from samerun.trainers.supervised.config import SupervisedTable
from samerun.trainers.supervised.plan import SupervisedPlan, prepare

RECIPE: dict[str, Any] = {
    "trainer": "supervised",
    "steps": 10,
    "task": {"kind": "digits"},
    "model": {"kind": "mlp"},
}


class Bench:
    """Where a trainer is built without a run."""

    def __init__(self, seed: int = 7) -> None:
        self.source = StreamSource(seed)

    def loader(self, dataset: Any, batch_size: int, **options: Any) -> Loader:
        return Loader(dataset, batch_size, source=self.source, **options)


def planned(project: Path | None = None, **changes: Any) -> SupervisedPlan:
    values = resolve({**RECIPE, **changes}, project=project).values
    assert isinstance(values, SupervisedTable)
    return prepare(values, project)


def test_validation_is_evaluated_during_training_and_test_where_there_is_none() -> None:
    assert planned().splits == ("validation", "test", "train")
    assert planned(task={"kind": "digits", "validation_fraction": 0.0}).splits == ("test", "train")


def test_only_what_has_state_is_tracked() -> None:
    assert set(planned().start(Bench()).state()) == {"model", "optimizer", "batches"}
    full = planned(mixed_precision="fp16", average={"decay": 0.9}).start(Bench())
    assert set(full.state()) == {"model", "optimizer", "batches", "scaler", "average"}


def test_weights_follow_from_the_seed_alone() -> None:
    first, second, other = (planned().start(Bench(seed)).model.state_dict() for seed in (7, 7, 8))
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert not torch.equal(first["layers.1.weight"], other["layers.1.weight"])


def test_given_weights_are_also_those_of_the_moving_average() -> None:
    plan = planned(average={"decay": 0.9})
    weights = {name: tensor + 1.0 for name, tensor in plan.start(Bench()).model.state_dict().items()}
    trainer = plan.start(Bench(), weights)
    average = trainer.state()["average"].model  # type: ignore[attr-defined]
    assert torch.equal(average.state_dict()["layers.1.bias"], weights["layers.1.bias"])


def test_a_schedule_that_does_not_fit_the_horizon_is_refused() -> None:
    with pytest.raises(ConfigError, match="SR-TRAINER-002"):
        planned(schedule={"kind": "cosine", "warmup_steps": 10})


def test_training_on_past_the_horizon_is_no_error() -> None:
    plan = planned(schedule={"kind": "cosine"}, horizon_steps=5, steps=50)
    assert plan.schedule(40) == 0.0


NET = """
from torch import nn
from samerun.config.parts import Part
from samerun.config.schema import Table

class Settings(Table):
    outputs: int = 10
    "How many numbers it gives."

def build(settings, shape, source):
    return nn.Sequential(nn.Flatten(), nn.BatchNorm1d(64), nn.Linear(64, settings.outputs))

PART = Part(name="net", config=Settings, build="ournet:build", description="a model of our own")
"""


def test_a_module_of_the_users_own_is_trained(tmp_path: Path) -> None:
    (tmp_path / "ournet.py").write_text(NET)
    trainer = planned(tmp_path, model={"kind": "ournet:PART"}).start(Bench())
    assert isinstance(trainer.model[1], torch.nn.BatchNorm1d)  # type: ignore[index]
    with pytest.raises(ConfigError, match="SR-TRAINER-009"):
        planned(tmp_path, model={"kind": "ournet:PART", "outputs": 3})


@pytest.mark.slow
def test_images_in_folders_are_the_same_batches_with_and_without_workers(tmp_path: Path) -> None:
    import numpy as np
    from PIL import Image

    for label in ("a", "b"):
        (tmp_path / "images" / label).mkdir(parents=True)
        for number in range(20):
            pixels = np.full((6, 6), number * 10 + (5 if label == "a" else 0), np.uint8)
            Image.fromarray(pixels).save(tmp_path / "images" / label / f"{number}.png")
    augment = {"crop_padding": 1, "flip": True}
    task = {"kind": "images", "path": "images", "size": 6, "color": "gray", "augment": augment}
    changes: dict[str, Any] = {"task": task, "model": {"kind": "cnn", "channels": [4]}, "batch_size": 8}
    batches = []
    for workers in (0, 2):
        trainer = planned(tmp_path, workers=workers, **changes).start(Bench())
        loader = trainer.state()["batches"]
        assert isinstance(loader, Loader)
        batches.append([next(loader) for _ in range(6)])
        loader.close()
    for (images, labels), (others, their_labels) in zip(*batches, strict=True):
        assert torch.equal(images, others) and torch.equal(labels, their_labels)
    assert batches[0][0][0].shape == (8, 1, 6, 6)
