"""The JSON Schema of a recipe, made from the same tables that validate it: for editors, and for other tools."""

from typing import Any, Final

from samerun.config.parts import Part

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def json_schema(part: Part) -> dict[str, Any]:
    """Return the JSON Schema of a trainer's recipe, with every installed part where a `kind` chooses one.

    Fields that are no part of the identity carry "aside" with the reason.
    """
    schema = part.config.model_json_schema(by_alias=True, mode="validation")
    properties = dict(schema["properties"])
    properties["trainer"] = {**properties["trainer"], "const": part.name}
    return {"$schema": DIALECT, **schema, "title": f"recipe of the {part.name} trainer", "properties": properties}
