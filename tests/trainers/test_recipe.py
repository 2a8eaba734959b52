"""From a resolved recipe to a finished run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from samerun.config.layers import resolve
from samerun.errors import ConfigError, RefusedError

Train = Callable[..., Any]
"""The fixture `train` of conftest.py."""

ALL_STATE: dict[str, Any] = {
    "model": {"kind": "mlp", "hidden": [8], "dropout": 0.2},
    "optimizer": {"kind": "adamw", "learning_rate": 0.01},
    "schedule": {"kind": "warmup_milestones", "warmup_steps": 2, "milestones": [4, 6]},
    "accumulate": 2,
    "clip_norm": 0.5,
    "mixed_precision": "fp16",
    "average": {"decay": 0.9},
    "label_smoothing": 0.1,
    "evaluate": {"every": 2},
}


def test_the_same_recipe_gives_the_same_run(train: Train) -> None:
    first, second = train(runs="a", **ALL_STATE), train(runs="b", **ALL_STATE)
    assert first.rows == second.rows and first.trail == second.trail
    assert first.record.manifest.identity == second.record.manifest.identity


def test_another_seed_gives_another_run(train: Train) -> None:
    first, second = train(runs="a"), train(runs="b", seed=8)
    assert first.record.manifest.identity != second.record.manifest.identity
    assert first.trail[0]["batch"] != second.trail[0]["batch"]


def test_a_restart_at_every_step_is_the_same_run(train: Train) -> None:
    whole = train(runs="whole", **ALL_STATE)
    for stop_after in range(6):
        train(runs="parts", stop_after=stop_after, **ALL_STATE)
    parts = train(runs="parts", **ALL_STATE)
    assert parts.rows == whole.rows and parts.trail == whole.trail


@pytest.mark.slow
@pytest.mark.parametrize("split", [1, 2, 3, 4, 5])
def test_one_restart_at_any_step_is_the_same_run(train: Train, split: int) -> None:
    whole = train(runs="whole", **ALL_STATE)
    train(runs="parts", stop_after=split, **ALL_STATE)
    parts = train(runs="parts", **ALL_STATE)
    assert parts.rows == whole.rows and parts.trail == whole.trail


def test_the_data_is_an_input_of_the_identity(train: Train, tmp_path: Path) -> None:
    lines = "".join(f"{number % 5},{number},{number % 2}\n" for number in range(60))
    (tmp_path / "data.csv").write_text("a,b,label\n" + lines)
    table = {"kind": "table", "path": "data.csv", "label": "label"}
    first = train(runs="a", task=table, batch_size=8)
    (tmp_path / "data.csv").write_text("a,b,label\n" + lines + "1,99,1\n")
    second = train(runs="b", task=table, batch_size=8)
    assert first.record.manifest.identity != second.record.manifest.identity


SHIFTED = """
from dataclasses import replace
from samerun.config.parts import Part
from samerun.trainers.supervised.tasks.config import DigitsTable
from samerun.trainers.supervised.tasks.digits import load

class Shift:
    draws = "stream"

    def __call__(self, item, stream):
        return item[0] + float(stream.uniform()), item[1]

def build(settings, project):
    return replace(load(settings, project), augment=Shift())

PART = Part(name="shifted", config=DigitsTable, build="shifted_digits:build", description="digits, shifted")
"""


def test_loader_workers_find_the_code_of_a_project(train: Train, tmp_path: Path) -> None:
    (tmp_path / "shifted_digits.py").write_text(SHIFTED)
    task = {"kind": "shifted_digits:PART", "test_fraction": 0.8}
    inline, parallel = (train(runs=f"w{workers}", task=task, workers=workers, steps=2) for workers in (0, 1))
    assert inline.rows == parallel.rows and inline.trail == parallel.trail
    assert str(tmp_path) not in sys.path


def test_bad_input_leaves_no_run_behind(train: Train, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="SR-TASK-001"):
        train(task={"kind": "table", "path": "gone.csv", "label": "label"})
    assert not (tmp_path / "runs").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "metric", "least", "most"),
    [
        ("digits", "evaluate/accuracy", 0.95, 1.0),
        ("digits-cnn", "evaluate/accuracy", 0.97, 1.0),
        ("text-gpt", "evaluate/bits_per_byte", 0.0, 2.3),
    ],
)
def test_a_built_in_recipe_learns(tmp_path: Path, name: str, metric: str, least: float, most: float) -> None:
    from samerun.record.find import find_runs
    from samerun.run.launch import LaunchOptions
    from samerun.trainers.recipe import train_recipe

    train_recipe(resolve(name), LaunchOptions(runs=tmp_path / "runs", is_quiet=True), tmp_path)
    (record,) = find_runs(tmp_path / "runs")
    assert least <= record.manifest.metrics[metric] <= most


@pytest.mark.parametrize("stop_after", [None, 5])
def test_fewer_steps_than_are_complete_are_refused_and_change_nothing(train: Train, stop_after: int | None) -> None:
    folder = train(stop_after=stop_after).record.folder
    before = (folder / "manifest.json").read_bytes()
    with pytest.raises(RefusedError, match="SR-RUN-026") as caught:
        train(steps=3)
    assert caught.value.evidence == (f"completed: {stop_after or 6}", "wanted: steps=3")
    assert (folder / "manifest.json").read_bytes() == before
    assert train(steps=7).record.manifest.step == 7
