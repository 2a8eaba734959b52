"""The check `here`: what today's code changes of a recorded run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.record.show import show
from samerun.rerun.child import run_samerun
from samerun.rerun.surroundings import SURROUNDINGS

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

SCRIPT = """
import samerun

RATE = 0.25

with samerun.start("loop", seed=7) as run:
    rng = run.stream("own").numpy()
    run.track(rng=rng)
    for step in run.steps(8):
        run.values["x"] = RATE * run.values.get("x", 1.0) + float(rng.random())
        step.log(x=run.values["x"])
"""


def test_a_refactored_script_changes_nothing_and_an_edited_one_is_named_with_its_step(
    verified: Any, tmp_path: Path
) -> None:
    (tmp_path / "loop.py").write_text(SCRIPT)
    made = run_samerun(["train", "loop.py"], SURROUNDINGS[0], tmp_path).document["run"]
    (tmp_path / "loop.py").write_text(SCRIPT.replace("RATE = 0.25", "RATE = 1 / 4"))
    check = verified(made, "here")["here"]
    assert (check["verdict"], check["steps_compared"]) == ("same", 8), check
    assert "moved since: experiment.source.user" in check["detail"]
    shown = show(made).verification
    assert shown is not None and (shown["steps"], shown["since"]) == (8, None)
    (tmp_path / "loop.py").write_text(SCRIPT.replace("RATE * run", "(RATE + (step.index > 4)) * run"))
    check = verified(made, "here")["here"]
    assert (check["verdict"], check["first_difference"]["step"]) == ("different", 5), check
    some = verified(made, "here", steps=5)["here"]
    assert (some["verdict"], some["steps_compared"]) == ("same", 5), some


NET = '''
from torch import nn

from samerun.config.parts import Part
from samerun.config.schema import Table


class Settings(Table):
    width: int = 8
    """Width of the hidden layer."""


def build(settings, shape, source):
    layers = [nn.Flatten(), nn.Linear(64, settings.width), nn.Tanh(), nn.Linear(settings.width, shape.num_outputs)]
    return nn.Sequential(*layers)


PART = Part(name="net", config=Settings, build="ours:build", description="a model of our own")
'''
RECIPE = """
trainer: supervised
seed: 7
steps: 5
task: {kind: digits}
model: {kind: "ours:PART", width: 8}
evaluate: {every: 2}
"""


def test_a_recipe_is_trained_with_the_parts_of_today(verified: Any, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "ours.py").write_text(NET)
    (tmp_path / "a.yaml").write_text(RECIPE)
    made = run_samerun(["train", "a.yaml"], SURROUNDINGS[0], tmp_path).document["run"]
    (tmp_path / "ours.py").write_text(NET.replace("nn.Sequential(*layers)", "nn.Sequential(*list(layers))"))
    check = verified(made, "here")["here"]
    assert (check["verdict"], check["steps_compared"]) == ("same", 5), check
    (tmp_path / "ours.py").write_text(NET.replace("nn.Tanh", "nn.ReLU"))
    check = verified(made, "here")["here"]
    assert check["verdict"] == "different", check
    assert "other numbers" in check["detail"] and check["first_difference"]["step"] == 0
    (tmp_path / "ours.py").write_text(NET.replace("width", "breadth"))
    check = verified(made, "here")["here"]
    assert check["verdict"] == "cannot_say", check
    assert "width" in check["detail"]
