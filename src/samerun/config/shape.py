"""The shape of a table by its types: which keys it has, and which table stands at a path. No values are judged here."""

from collections.abc import Mapping
from pathlib import Path as FolderPath
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from samerun.config.parts import PartSlot, find_part
from samerun.config.problems import Path, value_at
from samerun.config.schema import Table
from samerun.errors import SamerunError


def fields_of(table: type[Table]) -> dict[str, FieldInfo]:
    """Return the fields by the key that a recipe writes."""
    return {field.alias or name: field for name, field in table.model_fields.items()}


def content_of(annotation: Any, metadata: tuple[Any, ...] | list[Any] = ()) -> PartSlot | type[Table] | None:
    """Return what tables a field holds, itself or in a list, a dict or beside null: a slot, a table, or none."""
    for mark in metadata:
        if isinstance(mark, PartSlot):
            return mark
    if get_origin(annotation) is Annotated:
        inner, *marks = get_args(annotation)
        return content_of(inner, marks)
    if get_origin(annotation) in (Union, UnionType, tuple, list, dict):
        for argument in get_args(annotation):
            found = content_of(argument)
            if found is not None:
                return found
        return None
    return annotation if isinstance(annotation, type) and issubclass(annotation, Table) else None


def table_at(root: type[Table], data: Any, path: Path, project: FolderPath | None) -> type[Table] | None:
    """Return the table whose keys stand below `path` in `data`; None where no table does, or its kind is unknown."""
    table, content = root, None
    node: Any = data
    for index, segment in enumerate(path):
        node = value_at(node, (segment,))
        if content is None:
            field = fields_of(table).get(str(segment))
            if field is None:
                return None
            content = content_of(field.annotation, field.metadata)
            if content is None:
                return None
        elif not isinstance(segment, int):
            return None
        if isinstance(node, list):
            if index + 1 == len(path):
                return None
            continue
        chosen = _chosen(content, node, project)
        if chosen is None:
            return None
        table, content = chosen, None
    return table


def default_kind_at(root: type[Table], data: Any, path: Path, project: FolderPath | None) -> str | None:
    """Return the kind that the table at `path` has when it names none."""
    above = table_at(root, data, path[:-1], project) if path else None
    field = fields_of(above).get(str(path[-1])) if above else None
    content = content_of(field.annotation, field.metadata) if field else None
    return content.default if isinstance(content, PartSlot) else None


def _chosen(content: PartSlot | type[Table], node: Any, project: FolderPath | None) -> type[Table] | None:
    if not isinstance(content, PartSlot):
        return content
    kind = node.get("kind", content.default) if isinstance(node, Mapping) else content.default
    if not isinstance(kind, str):
        return None
    try:
        return find_part(content.group, kind, project).config
    except SamerunError:
        return None
