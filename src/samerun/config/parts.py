"""Parts: plug-ins with a name, a table of settings and a build function; and fields that are a part chosen by `kind`.

Importing a part's module needs no torch; `PartChoice.build` imports what builds. Parts are found in discovery.py; which
values a part's table takes is the part's own business (schema.py has what tables share).
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from samerun.config.discovery import GROUPS as GROUPS
from samerun.config.discovery import InstalledPart as InstalledPart
from samerun.config.discovery import Part as Part
from samerun.config.discovery import find_part as find_part
from samerun.config.discovery import importable as importable
from samerun.config.discovery import kinds_of
from samerun.config.discovery import list_parts as list_parts
from samerun.config.discovery import load_build as load_build
from samerun.errors import SamerunError

DEFAULT_PART: Any = {}
"""Default of a field with a `PartSlot(..., default=kind)`: the part of that kind with its own defaults."""


parts = list_parts
"""The verb `samerun parts` as a function."""


@dataclass(frozen=True)
class PartChoice:
    """A chosen part and its settings: the value of a field with a `PartSlot`."""

    kind: str
    part: Part
    settings: Any
    """An instance of `part.config`."""

    def build(self) -> Callable[..., Any]:
        """Import the part's build function (see `load_build`)."""
        return load_build(self.part)

    def plain(self) -> dict[str, Any]:
        """Return the table as it would stand in a recipe, every default written out."""
        return {"kind": self.kind, **self.settings.model_dump(mode="json", by_alias=True)}


@dataclass(frozen=True)
class PartSlot:
    """Say that a field is a table chosen by its `kind`: `Annotated[PartChoice, PartSlot("models", default="mlp")]`.

    The rest of the table is validated by the part's own config. With a default kind the table may leave `kind` out,
    and the field may have `= DEFAULT_PART`. The validation context's "project" is where project parts are looked for.
    """

    group: str
    default: str | None = None

    def choose(self, value: object, info: ValidationInfo) -> PartChoice:
        """Validate one table."""
        if isinstance(value, PartChoice):
            return value
        if not isinstance(value, dict):
            raise _problem("SR-CONFIG-005", f"a table with `kind` is wanted, such as {{kind: {self._example()}}}")
        kind = value.get("kind", self.default)
        if not isinstance(kind, str):
            found = "missing" if "kind" not in value else f"{json.dumps(kind)}, not text"
            raise _problem("SR-CONFIG-006", f"`kind` is {found}: the name of one of the {self.group}", below="kind")
        part = self.part(kind, info.context)
        rest = {key: item for key, item in value.items() if key != "kind"}
        # Validated as JSON, because strict JSON rules are those of a recipe: a list is a tuple, 0 is 0.0.
        settings = part.config.__pydantic_validator__.validate_json(json.dumps(rest), context=info.context)
        return PartChoice(kind, part, settings)

    def part(self, kind: str, context: Any) -> Part:
        """Find the part in the project of a validation context."""
        try:
            return find_part(self.group, kind, (context or {}).get("project"))
        except SamerunError as error:
            sentence = "; ".join([error.what, *error.evidence])
            raise _problem(error.code, sentence, error.do, below="kind") from error

    def _example(self) -> str:
        return self.default or next(iter(kinds_of(self.group)), "NAME")

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(
            self.choose, serialization=core_schema.plain_serializer_function_ser_schema(PartChoice.plain)
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        tables: list[dict[str, Any]] = []
        for installed in list_parts():
            if installed.group == self.group and installed.part is not None:
                tables.append(self._table_schema(installed, handler))
        project = {"type": "object", "properties": {"kind": {"type": "string", "pattern": r"^[\w.]+:\w+$"}}}
        return {"anyOf": [*tables, {**project, "required": ["kind"]}]}

    def _table_schema(self, installed: InstalledPart, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        assert installed.part is not None
        table = dict(handler.resolve_ref_schema(handler(installed.part.config.__pydantic_core_schema__)))
        table["properties"] = {"kind": {"const": installed.kind}, **table.get("properties", {})}
        if installed.kind != self.default:
            table["required"] = ["kind", *table.get("required", [])]
        table["description"] = installed.part.description
        return table


def _problem(code: str, sentence: str, do: str = "", below: str = "") -> PydanticCustomError:
    """Make an error that validate.py can place: at the key `below` of the table, or at the table itself."""
    context = {"sentence": sentence, "code": code, "do": do, "below": below}
    return PydanticCustomError("samerun_part", "{sentence}", context)
