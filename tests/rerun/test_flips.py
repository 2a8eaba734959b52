"""Which other values are tried of what is aside. That they change no bit is proved by `verify --neutral`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import pytest

from samerun.config.layers import resolve
from samerun.config.resolved import Config
from samerun.rerun.flips import Around, Flip, flips_of_recipe, flips_of_script, other_values, other_workers


def flips(recipe: str, *settings: str, steps: int = 12) -> dict[str, Flip]:
    config = resolve(recipe, settings)

    around = Around(steps, "train/loss", folder=Path("/moved"))

    def further(more: Sequence[str]) -> Config:
        return resolve(recipe, [*settings, *more])

    return {flip.path: flip for flip in flips_of_recipe(config, around, further)}


@pytest.mark.parametrize("recipe", ["digits", "digits-cnn", "text-gpt"])
def test_every_aside_setting_of_a_recipe_is_flipped_or_has_a_reason(recipe: str) -> None:
    config, found = resolve(recipe, []), flips(recipe)
    assert {path for path, at in config.standings.items() if at.group == "aside"} <= set(found)
    assert [path for path, flip in found.items() if flip.reason is not None] == ["init"]
    for path, flip in found.items():
        if flip.settings and path != "steps":
            flipped = resolve(recipe, flip.settings)
            assert flipped.plain != config.plain and flipped.identity_values() == config.identity_values()


def test_what_acts_at_a_checkpoint_is_flipped_with_a_cadence_that_writes_some() -> None:
    found = flips("digits")
    assert found["checkpoint.keep"].settings == ("checkpoint.keep=1", "checkpoint.every=3")
    assert found["checkpoint.asynchronous"].settings == ("checkpoint.asynchronous=true", "checkpoint.every=3")
    assert found["checkpoint.every"].settings == ("checkpoint.every=3",)


def test_a_path_is_flipped_to_a_copy_under_the_same_name_and_without_one_there_is_a_reason(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").touch()
    table = ["task={kind: table, path: rows.csv, label: y}", "model.kind=mlp"]
    config = resolve("digits", table)
    around = Around(6, None, tmp_path, tmp_path / "moved: # here")
    found = {
        flip.path: flip for flip in flips_of_recipe(config, around, lambda more: resolve("digits", [*table, *more]))
    }
    target = tmp_path / "moved: # here/task.path/0/rows.csv"
    assert found["task.path"].copies == ((tmp_path / "rows.csv", target),)
    assert resolve("digits", [*table, *found["task.path"].settings]).values.task.settings.path == str(target)
    assert str(found["task.path"]) == "task.path at another place"
    elsewhere = {flip.path: flip for flip in flips_of_recipe(config, Around(6, None), lambda more: config)}
    assert "no copy" in str(elsewhere["task.path"].reason)


def test_more_steps_keep_the_horizon_that_the_first_start_had() -> None:
    assert flips("digits")["steps"].settings == ("steps=1203", "horizon_steps=1200")


def test_an_evaluation_that_decides_is_identity_and_is_said_to_be() -> None:
    assert flips("digits")["evaluate.every"].reason is None
    deciding = flips("digits", "early_stop={}")["evaluate.every"]
    assert deciding.reason is not None and "identity" in deciding.reason


def test_workers_are_none_or_two() -> None:
    assert flips("digits")["workers"].settings == ("workers=2",)
    assert flips("digits-cnn")["workers"].settings == ("workers=0",)
    assert other_workers(resolve("digits-cnn", [])) == "workers=0"


def test_a_choice_of_words_is_flipped_to_another_of_them() -> None:
    assert other_values("part.how", "inline", Annotated[Literal["inline", "processes"], "x"])[0] == "processes"
    assert other_values("part.is_fast", True) == ["false"]


def test_a_script_is_flipped_in_what_every_loop_has() -> None:
    found = {flip.path: flip for flip in flips_of_script(6, None, {"out": "where"}, is_single=True)}
    assert found["stop"].stops == (3,) and found["name"].name is not None
    assert found["trail.state_every"].settings == ("trail.state_every=3",)
    assert found["checkpoint.best"].reason == "the loop logs no number"
    assert found["out"].reason is not None and "where" in found["out"].reason
    several = {flip.path: flip for flip in flips_of_script(6, "train/x", {}, is_single=False)}
    assert several["name"].reason == several["stop"].reason == "the program makes several runs"


def test_starting_weights_are_flipped_to_a_copy_of_theirs_where_they_are_a_file(tmp_path: Path) -> None:
    (tmp_path / "w.safetensors").touch()
    for text, is_flipped in (("w.safetensors", True), ("best@last", False), ("owner/name", False)):
        given = [f"init={{from: {text}}}"]
        config = resolve("digits", given)
        around = Around(6, None, tmp_path, tmp_path / "moved")
        moved = flips_of_recipe(config, around, lambda more, given=given: resolve("digits", [*given, *more]))
        (flip,) = (flip for flip in moved if flip.path == "init.from")
        assert (flip.reason is None, bool(flip.copies)) == (is_flipped, is_flipped)
