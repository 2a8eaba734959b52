"""Resolving recipes: three syntaxes and two layers above the defaults, one result."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from samerun.base.canon import canonical_bytes
from samerun.config.layers import Config, resolve
from samerun.config.load import built_in_recipes, load_recipe
from samerun.config.restore import restore
from samerun.config.setting import Setting
from samerun.errors import ConfigError

names = st.text(alphabet="abcxyz_", min_size=1, max_size=5)
texts = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Cn")), max_size=8)
numbers = st.floats(allow_nan=False, allow_infinity=False).map(lambda x: x or 0.0)
overrides = st.fixed_dictionaries(
    {},
    optional={
        "seed": st.integers(0, 2**63 - 1),
        "rate": numbers | st.integers(-(2**31), 2**31),
        "count": st.integers(-(2**53), 2**53),
        "flag": st.booleans(),
        "label": texts,
        "weights": st.dictionaries(texts, numbers, max_size=3),
        "groups": st.lists(st.fixed_dictionaries({"match": texts}, optional={"rate": numbers}), max_size=3),
        "checkpoint": st.fixed_dictionaries({}, optional={"keep": st.integers(1, 9), "every": st.integers(1, 99)}),
        "evaluate": st.fixed_dictionaries({"every": st.integers(0, 9)}),
    },
)


def toml_value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml_text(key)} = {toml_value(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    if isinstance(value, str):
        return toml_text(value)
    return json.dumps(value) if not isinstance(value, float) else repr(value)


def toml_text(text: str) -> str:
    return '"' + "".join(f"\\U{ord(letter):08X}" for letter in text) + '"'


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(overrides)
def test_yaml_json_toml_and_settings_give_the_same_config_and_digest(project: Path, values: dict[str, Any]) -> None:
    model = {"kind": "practice.parts:MLP", "hidden": [3]}
    recipe = {"trainer": "practice.parts:TRAINER", "steps": 5, "model": model, **values}
    bare = {key: item for key, item in recipe.items() if key not in values}
    sets = [f"{key}={json.dumps(item)}" for key, item in values.items()]
    as_json = json.dumps(recipe, ensure_ascii=False)
    as_toml = "".join(f"{key} = {toml_value(item)}\n" for key, item in recipe.items())
    try:
        configs = [
            resolve(load_recipe(as_json.encode(), name="r.json"), project=project),
            resolve(load_recipe(as_json.encode(), name="r.yaml"), project=project),
            resolve(load_recipe(as_toml.encode(), name="r.toml"), project=project),
            resolve(recipe, project=project),
            resolve(bare, sets, project=project),
        ]
    except ConfigError as error:
        assert "SR-CONFIG-009" in str(error)
        return
    first = configs[0]
    for config in configs[1:]:
        assert config.plain == first.plain
        assert config.digest == first.digest
        assert config.values == first.values
    stored = {"values": first.plain, "origins": {}, "submitted": {"name": "r.json"}}
    again = restore(json.loads(canonical_bytes(stored)), project=project)
    assert (again.plain, again.digest) == (first.plain, first.digest)


def test_defaults_lie_below_the_recipe_and_settings_above_it(resolved: Callable[..., Config]) -> None:
    config = resolved("rate: 2\ncount: 2\n", "count=3")
    assert (config.plain["label"], config.plain["rate"], config.plain["count"]) == ("", 2.0, 3)
    assert [config.origins[key].layer for key in ("label", "rate", "count")] == ["default", "recipe", "set"]


@pytest.mark.parametrize("text", ["1e-4", "1.0e-4", "0.0001"])
def test_a_number_is_the_same_by_file_and_by_setting(resolved: Callable[..., Config], text: str) -> None:
    assert resolved(f"rate: {text}\n").digest == resolved("", f"rate={text}").digest == resolved("rate: 0.0001").digest


@pytest.mark.parametrize("text", ["no", "off", "012", "12:30:00", "2024-01-02", "1_000", "0b1"])
def test_words_that_look_like_something_else_are_text(resolved: Callable[..., Config], text: str) -> None:
    assert resolved(f"label: {text}\n").plain["label"] == resolved("", f"label={text}").plain["label"] == text


def test_null_seeds_are_left_to_whoever_draws_them(resolved: Callable[..., Config]) -> None:
    assert resolved("seed: null\n").values.seed is None
    assert resolved("seed: 7\n", "seed=").values.seed is None


def test_a_default_part_may_be_adjusted_without_naming_it(resolved: Callable[..., Config]) -> None:
    config = resolved("", "optimizer.learning_rate=0.5")
    assert config.plain["optimizer"] == {"kind": "practice.parts:SGD", "learning_rate": 0.5, "momentum": 0.9}


def test_a_new_kind_resets_its_table_and_the_config_says_so(resolved: Callable[..., Config]) -> None:
    text = "trainer: practice.parts:TRAINER\nsteps: 1\nmodel: {kind: practice.parts:MLP, hidden: [3], dropout: 0.5}\n"
    config = resolved("", "model.kind=practice.parts:CNN", head=text)
    assert config.plain["model"] == {"kind": "practice.parts:CNN", "channels": [8, 16]}
    assert len(config.notes) == 1
    assert "hidden (recipe.yaml:3)" in config.notes[0]


def test_a_setting_of_code_names_its_own_place(project: Path) -> None:
    recipe = {"trainer": "practice.parts:TRAINER", "steps": 1, "model": {"kind": "practice.parts:MLP"}}
    config = resolve(recipe, [Setting(("name",), "my-run", "--name my-run")], project=project)
    assert (config.values.name, config.origins["name"].where) == ("my-run", "--name my-run")


def test_a_trainer_that_is_missing_unknown_or_none_is_reported_beside_other_problems(project: Path) -> None:
    cases = {
        "steps: 1\nrate: -0.0\n": "SR-CONFIG-006",
        "trainer: 3\nrate: -0.0\n": "SR-CONFIG-005",
        "trainer: superviced\nrate: -0.0\n": "SR-PART-001",
        "trainer: practice.parts:NOT_A_TRAINER\nrate: -0.0\n": "SR-PART-002",
    }
    for text, code in cases.items():
        with pytest.raises(ConfigError) as caught:
            resolve(text.encode(), project=project)
        assert code in str(caught.value)
        assert "SR-CONFIG-010" in str(caught.value)


@pytest.mark.parametrize("name", sorted(built_in_recipes()))
def test_every_built_in_recipe_resolves(name: str) -> None:
    config = resolve(name)
    assert config.submitted == built_in_recipes()[name]
    assert config.notes == ()
