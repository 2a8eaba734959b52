"""How a training is made again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from samerun.rerun.made import Making, Order, making_of_recipe


def command(making: Making, **wishes: Any) -> list[str]:
    return making.command(Path("/runs"), Order(**wishes))


def test_a_recipe_and_a_script_are_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    recipe = making_of_recipe("a.yaml", ["steps=3"])
    assert (recipe.recipe, recipe.home, recipe.project) == (str(tmp_path / "a.yaml"), tmp_path, tmp_path)
    script = making_of_recipe("train.py", arguments=["--rate", "1"])
    assert (script.recipe, script.home) == (str(tmp_path / "train.py"), tmp_path)
    assert command(script)[-3:] == ["--", "--rate", "1"]
    assert "--name" not in command(script), "a script may make several runs, each under its own name"
    assert making_of_recipe("digits").recipe == "digits"


def test_the_command_names_everything_that_is_aside(tmp_path: Path) -> None:
    making = Making("a.yaml", ("steps=3",), project=tmp_path).with_seed(9)
    words = command(making, stop_after=2, settings=("checkpoint.every=5",))
    assert words[:2] == ["train", "a.yaml"]
    for pair in (["-s", "steps=3"], ["-s", "trail.state_every=1"], ["-s", "checkpoint.every=5"]):
        assert any(words[at : at + 2] == pair for at in range(len(words)))
    for pair in (["--stop-after", "2"], ["--seed", "9"], ["--project", str(tmp_path)]):
        assert any(words[at : at + 2] == pair for at in range(len(words)))


def test_data_is_read_where_the_run_found_it_while_code_comes_from_the_snapshot(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    making = Making("recipe.json", project=tmp_path, document=b"{}", snapshot={"net.py": b""})
    words = command(making.prepared(tmp_path / "work"))
    for pair in (["--project", str(tmp_path / "work/project")], ["--data-root", str(tmp_path)]):
        assert any(words[at : at + 2] == pair for at in range(len(words)))


def test_a_recorded_recipe_is_written_down_as_it_was_resolved(tmp_path: Path) -> None:
    making = Making("recipe.json", document=json.dumps({"steps": 3}).encode())
    (tmp_path / "work").mkdir()
    prepared = making.prepared(tmp_path / "work")
    assert json.loads(Path(prepared.recipe).read_bytes()) == {"steps": 3}


def test_a_recipe_is_resolved_as_the_command_would(tmp_path: Path) -> None:
    config = making_of_recipe("digits", ["steps=3"]).with_seed(9).config(["workers=2"])
    assert config is not None
    assert (config.plain["steps"], config.plain["seed"], config.plain["workers"]) == (3, 9, 2)
    assert making_of_recipe("train.py").config() is None


def test_the_project_is_imported_from_where_the_recipe_uses_its_parts(tmp_path: Path) -> None:
    (tmp_path / "project_net.py").write_text(PART)
    (tmp_path / "a.yaml").write_text(
        'trainer: supervised\nsteps: 3\ntask: {kind: digits}\nmodel: {kind: "project_net:PART"}\n'
    )
    making = Making(str(tmp_path / "a.yaml"), project=tmp_path)
    assert making.imports() == (tmp_path.resolve(),)
    assert Making("digits", project=tmp_path).imports() == ()
    assert Making(str(tmp_path / "gone.yaml"), project=tmp_path).imports() == ()


PART = """
from samerun.config.parts import Part
from samerun.config.schema import Table

class Settings(Table):
    pass

PART = Part(name="net", config=Settings, build="project_net:build", description="a model of our own")
"""
