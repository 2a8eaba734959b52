"""Recipe or run."""

from __future__ import annotations

from pathlib import Path

import pytest

from samerun.record.manifest import Entry
from samerun.record.subject import is_built_in, is_recipe, is_script, train_anew


@pytest.mark.parametrize("text", ["a.yaml", "folder/a.yml", "a.toml", "a.json", "train.py"])
def test_a_file_with_a_recipes_ending_is_a_recipe(text: str) -> None:
    assert is_recipe(text)


@pytest.mark.parametrize("text", ["@last", "@last~1", "runs/digits-0123abcd", "0123abcd", ".", "../digits"])
def test_anything_else_is_a_run(text: str) -> None:
    assert not is_recipe(text)


def test_a_run_folder_is_a_run_whatever_it_is_called(tmp_path: Path) -> None:
    folder = tmp_path / "odd.yaml"
    folder.mkdir()
    (folder / "manifest.json").touch()
    assert not is_recipe(str(folder))


def test_a_built_in_name_is_a_recipe_and_a_path_to_one_is_not() -> None:
    assert is_built_in("digits") == is_recipe("digits")
    assert not is_built_in("../recipes/digits")


def test_a_script_is_known_by_its_ending() -> None:
    assert is_script("a/train.py") and not is_script("train.yaml")


def test_a_run_of_its_own_is_begun_from_the_same_file_or_built_in_recipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop.py").write_text("")
    assert train_anew(Entry("script", (), "loop.py")) == "samerun train loop.py --new"
    assert train_anew(Entry("recipe", (), "digits.yaml")) == "samerun train digits --new"
    assert train_anew(Entry("recipe", (), "gone.yaml")) == "samerun train RECIPE --new"
    assert train_anew(Entry("loop")) == "samerun.start(..., new=True)"
