"""What a command's wishes become before anything trains; training itself is tested as processes in tests/cli."""

from __future__ import annotations

from pathlib import Path

import pytest

from samerun.errors import ConfigError, UsageError
from samerun.rerun.train import resolve_recipe, script_tables, start_of
from samerun.run.launch import LaunchOptions


def test_options_of_the_command_win_and_keep_their_names() -> None:
    config = resolve_recipe("digits", ["seed=3"], LaunchOptions(seed=4, tier="fast", name="x"))
    assert (config.values.seed, config.values.tier, config.values.name) == (4, "fast", "x")
    assert config.origins["seed"].where == "--seed 4"


def test_a_wrong_option_is_named_as_it_was_given() -> None:
    with pytest.raises(ConfigError) as refusal:
        resolve_recipe("digits", [], LaunchOptions(name="a/b"))
    assert "--name a/b" in " ".join([refusal.value.what, *refusal.value.evidence])


def test_a_script_takes_the_tables_that_every_loop_has() -> None:
    tables = script_tables(["checkpoint.every=5", "trail.state_every=1", "checkpoint.keep=2"])
    assert tables == {"checkpoint": (("every", 5), ("keep", 2)), "trail": (("state_every", 1),)}
    for wrong in ("rate=1", "checkpoint=1", "checkpoint.best.metric=x"):
        with pytest.raises(UsageError, match="SR-TRAIN-001"):
            script_tables([wrong])


def test_a_built_in_recipe_belongs_to_where_we_are() -> None:
    assert start_of("digits") == Path.cwd()
    assert start_of("a/b.yaml") == Path("a/b.yaml")
