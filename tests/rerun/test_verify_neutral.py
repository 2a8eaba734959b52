"""The check `neutral` of a recipe: a part that depends on its worker, or says aside of what decides a number."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

WORK = '''
import torch

from samerun.config.parts import Part
from samerun.config.schema import Table, aside
from samerun.trainers.models.shape import Shape
from samerun.trainers.supervised.tasks.task import Task


class Settings(Table):
    how: str = aside("inline", "where items are made")
    """How items are made."""
    scale: bool = aside(False, "it is said to change nothing")
    """Whether items are scaled."""


class Items:
    def __init__(self, settings):
        self.settings, self.made = settings, 0

    def __len__(self):
        return 24

    def __getitem__(self, index):
        self.made += 1
        return torch.full((3,), index / 24 + FAULT), index % 2


def load(settings, project):
    items = Items(settings)
    return Task(shape=Shape(item=(3,), num_outputs=2, goal="classes"), splits={"train": items, "test": items})


PART = Part(name="work", config=Settings, build="MODULE:load", description="items of our own")
'''
RECIPE = """
trainer: supervised
seed: 7
steps: 6
task: {kind: "MODULE:PART"}
model: {kind: mlp, hidden: [4]}
batch_size: 8
"""


def neutral(verified: Any, folder: Path, fault: str) -> tuple[Any, dict[str, str | None]]:
    (folder / "pyproject.toml").touch()
    # A name of its own: the proving process has imported the part of another test.
    module = f"work_{zlib.crc32(fault.encode())}"
    (folder / f"{module}.py").write_text(WORK.replace("FAULT", fault).replace("MODULE", module))
    (folder / "a.yaml").write_text(RECIPE.replace("MODULE", module))
    check = verified("a.yaml", "neutral")["neutral"]
    return check, {case["what"]: case["verdict"] for case in check["cases"]}


def test_settings_of_a_part_are_flipped_and_a_clean_one_is_the_same(verified: Any, tmp_path: Path) -> None:
    check, verdicts = neutral(verified, tmp_path, "0.0")
    assert check["verdict"] == "same", check
    assert {"workers=2", "task.scale=true", "task.how=x", "recheck_every=1"} <= verdicts.keys()
    assert {what for what, verdict in verdicts.items() if verdict is None} == {"init"}


def test_items_that_depend_on_their_worker_are_found_by_flipping_workers(verified: Any, tmp_path: Path) -> None:
    check, verdicts = neutral(verified, tmp_path, "(self.made > 16)")
    assert (check["verdict"], verdicts["workers=2"]) == ("different", "different"), check
    assert verdicts["checkpoint.every=1"] == "same"


def test_a_setting_that_only_says_it_is_aside_is_named(verified: Any, tmp_path: Path) -> None:
    check, verdicts = neutral(verified, tmp_path, "0.5 * self.settings.scale")
    assert (check["verdict"], verdicts["task.scale=true"]) == ("different", "different"), check
    assert check["detail"].startswith("with task.scale=true: ")
    assert verdicts["workers=2"] == "same"
