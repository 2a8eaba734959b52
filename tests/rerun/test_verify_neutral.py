"""The check `neutral` of a recipe: a part that depends on its worker, or says aside of what decides a number."""

from __future__ import annotations

import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from samerun.rerun.made import making_of_recipe
from samerun.rerun.neutral import _train, flips_for
from samerun.rerun.series import Series
from samerun.rerun.whole import compare_all, train_whole

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


DATA = """
trainer: supervised
seed: 7
steps: 4
task: {TASK}
model: {MODEL}
batch_size: 8
"""
MLP = "kind: mlp, hidden: [4]"
TASKS = {
    "table": ("kind: table, path: data/rows.csv, label: y", MLP),
    "images": ("kind: images, path: data/pictures, size: 4", MLP),
    "text": ("kind: text, path: data/text.txt, window: 8", "kind: gpt, layers: 1, heads: 1, width: 8"),
}


def write_data(folder: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    (folder / "rows.csv").write_text("x,y\n" + "".join(f"{index}.5,{'ab'[index % 2]}\n" for index in range(60)))
    (folder / "text.txt").write_text("In the beginning there was a text of its own. " * 40)
    for number in range(40):
        place = folder / "pictures" / "ab"[number % 2]
        place.mkdir(parents=True, exist_ok=True)
        image.new("RGB", (4, 4), (number * 6, number, 0)).save(place / f"{number}.png")


@pytest.mark.parametrize("kind", list(TASKS))
def test_a_recipe_with_data_of_its_own_is_the_same_from_a_copy_at_another_place(kind: str, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    write_data(tmp_path / "data")
    (tmp_path / "pyproject.toml").touch()
    task, model = TASKS[kind]
    (tmp_path / "a.yaml").write_text(DATA.replace("TASK", task).replace("MODEL", model))
    place = tmp_path / "work"
    place.mkdir()
    with closing(Series(making_of_recipe(str(tmp_path / "a.yaml")), place, lambda text: None)) as series:
        whole = train_whole(series, None, None)
        (flip,) = (flip for flip in flips_for(series, whole) if flip.path == "task.path")
        assert flip.reason is None
        _train(series, whole, flip, "moved-data")
        (made,) = series.runs_of("moved-data")
        assert str(place) in (made.folder / "config.json").read_text()
        assert compare_all(whole, [made]).verdict == "same"


def test_the_whole_check_of_a_recipe_with_data_of_its_own_is_the_same(verified: Any, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    write_data(tmp_path / "data")
    (tmp_path / "pyproject.toml").touch()
    task, model = TASKS["table"]
    (tmp_path / "a.yaml").write_text(DATA.replace("TASK", task).replace("MODEL", model))
    said: list[str] = []
    check = verified("a.yaml", "neutral", say=said.append)["neutral"]
    assert check["verdict"] == "same", check
    num_flipped = sum(case["verdict"] is not None for case in check["cases"])
    assert said[-1].startswith(f"neutral, {num_flipped} of {num_flipped}: ")
    assert ("task.path at another place", "same") in {(case["what"], case["verdict"]) for case in check["cases"]}


def test_a_setting_that_only_says_it_is_aside_is_named(verified: Any, tmp_path: Path) -> None:
    check, verdicts = neutral(verified, tmp_path, "0.5 * self.settings.scale")
    assert (check["verdict"], verdicts["task.scale=true"]) == ("different", "different"), check
    assert check["detail"].startswith("with task.scale=true: ")
    assert verdicts["workers=2"] == "same"
