"""What a dry run answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.rerun.origin import Origin
from samerun.rerun.plan import UNKNOWN_SEED, plan_recipe, plan_resume, plan_script
from samerun.rerun.train import resolve_recipe
from samerun.run.launch import LaunchOptions

PART = """
from samerun.config.parts import Part
from samerun.config.schema import Secret, Table

class Settings(Table):
    tracker: Secret

PART = Part(name="told", config=Settings, build="told_part:build", description="")
"""


def test_a_fresh_recipe_would_start_in_a_folder_of_its_own(tmp_path: Path) -> None:
    options = LaunchOptions(runs=tmp_path / "runs", name="mine")
    plan = plan_recipe(resolve_recipe("digits", [], options), options, tmp_path)
    assert plan["action"] == "start"
    assert plan["run"] == f"{tmp_path}/runs/mine-{plan['identity'][:8]}"
    assert not (tmp_path / "runs").exists()


def test_a_start_says_which_secrets_it_needs_and_what_was_not_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "told_part.py").write_text(PART)
    options = LaunchOptions(runs=tmp_path / "runs")
    config = resolve_recipe("digits", ["model={kind: 'told_part:PART', tracker: 'env:NOWHERE'}"], options)
    plan = plan_recipe(config, options, tmp_path)
    assert plan["needs_secrets"] == {"model.tracker": "env:NOWHERE"} and "secrets" in plan["not_looked_at"]


def test_a_seed_that_will_be_drawn_leaves_the_folder_open(tmp_path: Path) -> None:
    options = LaunchOptions(runs=tmp_path / "runs")
    plan = plan_recipe(resolve_recipe("digits", ["seed=null"], options), options, tmp_path)
    assert (plan["run"], plan["identity"], plan["seed"]) == (None, None, UNKNOWN_SEED)


def test_a_script_is_not_known_before_it_runs() -> None:
    plan = plan_script(Path("train.py"), LaunchOptions(argv=("--x",)))
    assert (plan["script"], plan["arguments"]) == ("train.py", ["--x"])


def test_a_resume_says_from_which_checkpoint(record: Any, tmp_path: Path) -> None:
    made = record(checkpoints=(0, 4))
    plan = plan_resume(made, Origin(tmp_path, tmp_path / "train.py"))
    assert (plan["from_step"], plan["checkpoint"]) == (4, "checkpoints/step-00000004")
    assert plan["checkpoint_bytes"] > 0 and "data" in plan["not_looked_at"]
