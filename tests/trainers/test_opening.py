"""What a recipe's run is, before a folder is chosen."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from samerun.config.layers import resolve
from samerun.config.resolved import Config
from samerun.trainers.opening import recipe_facts, recipe_name, recipe_opening, recipe_source

RECIPE: dict[str, Any] = {
    "trainer": "supervised",
    "seed": 7,
    "steps": 10,
    "task": {"kind": "digits"},
    "model": {"kind": "mlp"},
}
NET = """
from samerun.config.parts import Part
from samerun.config.schema import Table

class Settings(Table):
    width: int = 4
    "Width of the hidden layer."

PART = Part(name="net", config=Settings, build="ours.build:build", description="a model of our own")
"""
BUILD = """
from torch import nn

def build(settings, shape, source):
    return nn.Sequential(nn.Flatten(), nn.Linear(64, settings.width), nn.ReLU(), nn.Linear(settings.width, 10))
"""


def config_of(project: Path, **changes: Any) -> Config:
    return resolve({**RECIPE, **changes}, project=project)


def write_project(folder: Path) -> None:
    (folder / "ours").mkdir()
    (folder / "ours" / "__init__.py").write_text("")
    (folder / "ours" / "net.py").write_text(NET)
    (folder / "ours" / "build.py").write_text(BUILD)


def test_asides_move_no_fact_and_other_values_do(tmp_path: Path) -> None:
    facts, _ = recipe_facts(config_of(tmp_path, horizon_steps=10), tmp_path)
    aside, _ = recipe_facts(config_of(tmp_path, horizon_steps=10, steps=20, workers=2, name="x"), tmp_path)
    moved, _ = recipe_facts(config_of(tmp_path, horizon_steps=10, batch_size=32), tmp_path)
    assert facts == aside != moved


def test_the_seed_counts_once_however_it_was_given(tmp_path: Path) -> None:
    given, _ = recipe_facts(config_of(tmp_path), tmp_path)
    drawn, _ = recipe_facts(config_of(tmp_path, seed=None), tmp_path)
    assert drawn.seed is None
    assert given.identity(7).id == drawn.identity(7).id != drawn.identity(8).id


def test_the_source_of_a_chosen_part_counts_and_that_of_another_does_not(tmp_path: Path) -> None:
    files = {file.label for file in recipe_source(config_of(tmp_path), tmp_path).of("samerun")}
    assert "samerun/trainers/models/mlp.py" in files and "samerun/trainers/fit.py" in files
    assert "samerun/trainers/supervised/tasks/digits.py" in files
    assert "samerun/trainers/models/gpt.py" not in files
    assert "samerun/trainers/supervised/tasks/text.py" not in files


def test_a_part_of_the_project_counts_with_what_it_imports_to_build(tmp_path: Path) -> None:
    write_project(tmp_path)
    config = config_of(tmp_path, model={"kind": "ours.net:PART", "width": 5})
    files = {file.label for file in recipe_source(config, tmp_path).of("user")}
    assert {"ours/__init__.py", "ours/net.py", "ours/build.py"} <= files


def test_the_label_is_the_name_or_the_file(tmp_path: Path) -> None:
    assert recipe_name(resolve("digits")) == "digits"
    assert recipe_name(config_of(tmp_path, name="mine")) == "mine"


def test_an_opening_says_how_the_run_is_saved(tmp_path: Path) -> None:
    opening = recipe_opening(config_of(tmp_path, checkpoint={"every": 3, "keep": 2}), tmp_path, tmp_path / "runs")
    assert opening.policy.cadence.every_steps == 3 and opening.policy.retention.keep == 2
    assert opening.steps == 10 and opening.entry.kind == "recipe"


def test_no_torch_is_loaded_for_it(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom samerun.config.layers import resolve\n"
        "from samerun.trainers.opening import recipe_facts\n"
        "recipe_facts(resolve('text-gpt'), Path('.'))\nprint('torch' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr
