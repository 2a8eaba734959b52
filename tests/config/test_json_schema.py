"""The JSON Schema of a recipe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from samerun.config.json_schema import json_schema
from samerun.config.load import built_in_recipes, load_recipe
from samerun.config.parts import find_part, kinds_of


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return json_schema(find_part("trainers", "supervised", None))


def references(node: Any) -> set[str]:
    if isinstance(node, dict):
        own = {node["$ref"]} if isinstance(node.get("$ref"), str) else set()
        return own.union(*(references(item) for item in node.values()))
    return set().union(*(references(item) for item in node)) if isinstance(node, list) else set()


def test_it_is_plain_json_without_loose_references(schema: dict[str, Any]) -> None:
    json.dumps(schema)
    assert references(schema) <= {f"#/$defs/{name}" for name in schema["$defs"]}


def test_every_setting_is_described_and_asides_say_why(schema: dict[str, Any]) -> None:
    assert [name for name, field in schema["properties"].items() if not field.get("description")] == []
    assert schema["properties"]["steps"]["aside"].startswith("how far to go")
    assert schema["properties"]["trainer"]["const"] == "supervised"
    assert schema["additionalProperties"] is False


def test_every_installed_part_is_a_choice(schema: dict[str, Any]) -> None:
    choices = schema["properties"]["model"]["anyOf"]
    kinds = [choice["properties"]["kind"].get("const") for choice in choices]
    assert [kind for kind in kinds if kind] == kinds_of("models")
    assert all("kind" in choice["required"] for choice in choices)


def test_the_default_kind_of_a_slot_need_not_be_named(schema: dict[str, Any]) -> None:
    choices = {
        choice["properties"]["kind"].get("const"): choice for choice in schema["properties"]["optimizer"]["anyOf"]
    }
    assert "kind" not in choices["adamw"].get("required", [])
    assert "kind" in choices["sgd"]["required"]


def test_the_schema_of_a_project_part_says_so_too(project: Path) -> None:
    found = json_schema(find_part("trainers", "practice.parts:TRAINER", project))
    assert found["title"] == "recipe of the practice trainer"
    assert found["properties"]["token"]["anyOf"][0]["pattern"] == "^(env|file):.+$"


def test_every_key_of_every_built_in_recipe_is_in_the_schema(schema: dict[str, Any]) -> None:
    for name in built_in_recipes():
        assert set(load_recipe(name).data) <= set(schema["properties"])
