"""Validate merged values against a trainer's table, and turn every fault into one sentence with its place.

Values are validated as JSON: a list is a tuple, 0 is 0.0, and nothing else is converted.
"""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path as FolderPath
from typing import Any, Final

from pydantic import ValidationError

from samerun.base.text import nearest
from samerun.config.merge import Merged
from samerun.config.problems import (
    MISSING_KEY,
    SECRET,
    UNKNOWN_KEY,
    WRONG_VALUE,
    Path,
    Problem,
    format_path,
    has,
    is_unicode,
    shortened,
    value_at,
)
from samerun.config.schema import RunTable, Table, holds_secret
from samerun.config.shape import content_of, fields_of, table_at
from samerun.config.values import SECRET_WANTED

SECRET_ADVICE: Final = "write env:NAME or file:PATH in its place"
_CODES: Final = {"samerun_seed": "SR-CONFIG-011", "samerun_secret": SECRET}
_WANTED: Final = {
    "int_type": "an integer",
    "int_from_float": "an integer",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "text",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "finite_number": "a finite number",
    "none_required": "null",
}
_LIMITS: Final = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("above", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("below", "lt"),
    "multiple_of": ("a multiple of", "multiple_of"),
    "string_pattern_mismatch": ("text of the form", "pattern"),
}
_LENGTHS: Final = {
    "string_too_short": ("at least", "min_length", "characters"),
    "string_too_long": ("at most", "max_length", "characters"),
    "too_short": ("at least", "min_length", "elements"),
    "too_long": ("at most", "max_length", "elements"),
}
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def validate(
    table: type[RunTable], merged: Merged, project: FolderPath | None, known: Mapping[Path, Problem]
) -> RunTable | list[Problem]:
    """Return the validated values, or every problem; paths in `known` have theirs already."""
    text = json.dumps(_without(merged.data, known))
    try:
        return table.model_validate_json(text, context={"project": project})
    except ValidationError as error:
        return _problems(error, table, merged, project, known)


def _without(data: Any, known: Mapping[Path, Problem], path: Path = ()) -> Any:
    """Put 1 for values that are no JSON, so that the rest can still be judged; their own faults are left out after.

    A key that is no Unicode text is left out with what stands under it: pydantic would read no JSON at all.
    """
    if isinstance(data, dict):
        return {key: _without(item, known, (*path, key)) for key, item in data.items() if is_unicode(key)}
    if isinstance(data, list):
        return [_without(item, known, (*path, index)) for index, item in enumerate(data)]
    return 1 if path in known else data


def _problems(
    error: ValidationError,
    table: type[RunTable],
    merged: Merged,
    project: FolderPath | None,
    known: Mapping[Path, Problem],
) -> list[Problem]:
    by_path: dict[tuple[Path, str], list[dict[str, Any]]] = {}
    for fault in error.errors(include_url=False):
        path = path_of(fault["loc"], merged.data, is_missing=fault["type"] == "missing")
        below = fault.get("ctx", {}).get("below")
        path = (*path, below) if below and has(value_at(merged.data, path), below) else path
        if any(path[: len(at)] == at for at in known):
            continue
        sort = fault["type"] if fault["type"] in ("missing", "extra_forbidden") else "value"
        by_path.setdefault((path, sort), []).append(dict(fault))
    return [_problem(path, sort, faults, table, merged, project) for (path, sort), faults in by_path.items()]


def path_of(location: tuple[int | str, ...], data: Any, *, is_missing: bool) -> Path:
    """Leave out the names that pydantic puts in for the branches of a union."""
    path: Path = ()
    node = data
    for index, segment in enumerate(location):
        is_last = index == len(location) - 1
        if has(node, segment):
            path, node = (*path, segment), node[segment]
        elif (is_last and is_missing) or (node is not None and not path and not _is_branch(segment)):
            path = (*path, segment)
    return path


def _is_branch(segment: int | str) -> bool:
    return isinstance(segment, int) or not segment.isidentifier() or segment[:1].isupper()


def _problem(
    path: Path,
    sort: str,
    faults: list[dict[str, Any]],
    table: type[RunTable],
    merged: Merged,
    project: FolderPath | None,
) -> Problem:
    if sort == "extra_forbidden":
        return merged.problem(path, _unknown_key(path, table, merged, project), UNKNOWN_KEY)
    if sort == "missing":
        sentence = f"'{format_path(path)}' is missing: it has no default"
        return merged.problem(path[:-1], sentence, MISSING_KEY)
    if _takes_secret(path, table, merged.data, project):
        return merged.problem(path, f"'{format_path(path)}': {SECRET_WANTED}", SECRET, SECRET_ADVICE)
    for fault in faults:
        context = fault.get("ctx", {})
        if "sentence" in context:
            code = str(context.get("code") or _CODES.get(fault["type"], WRONG_VALUE))
            sentence = f"'{format_path(path)}': {context['sentence']}" if path else str(context["sentence"])
            return merged.problem(path, sentence, code, str(context.get("do", "")))
        if fault["type"] in ("value_error", "assertion_error"):
            return merged.problem(path, f"'{format_path(path)}': {context['error']}", WRONG_VALUE)
    return merged.problem(path, _wrong_value(path, faults, value_at(merged.data, path)), WRONG_VALUE)


def _takes_secret(path: Path, table: type[RunTable], data: Any, project: FolderPath | None) -> bool:
    """Whether the setting at a path, or one around it, takes secrets: what stands there may be one itself."""
    for length in range(1, len(path) + 1):
        above = table_at(table, data, path[: length - 1], project)
        field = fields_of(above).get(str(path[length - 1])) if above else None
        if field is not None and holds_secret(field.annotation):
            return True
    return False


def _wrong_value(path: Path, faults: list[dict[str, Any]], value: Any) -> str:
    wanted = list(dict.fromkeys(text for fault in faults for text in _wanted(fault)))
    sentence = f"'{format_path(path)}' is {_found(value)}; {' or '.join(wanted)} is wanted"
    return sentence + _advice(value, faults, wanted)


def _wanted(fault: dict[str, Any]) -> Iterable[str]:
    kind, context = fault["type"], fault.get("ctx", {})
    if kind in _WANTED:
        return [_WANTED[kind]]
    if kind == "literal_error":
        return _choices(context)
    if kind in _LIMITS:
        word, key = _LIMITS[kind]
        return [f"{word} {context[key]}"]
    if kind in _LENGTHS:
        word, key, unit = _LENGTHS[kind]
        return [f"{word} {context[key]} {unit}"]
    message: str = fault["msg"]
    return [message[:1].lower() + message[1:]]


def _choices(context: Mapping[str, Any]) -> list[str]:
    expected = re.sub(r" or (?=\S+$)", ", ", str(context["expected"]))
    return [choice.strip().strip("'") for choice in expected.split(", ")]


def _found(value: Any) -> str:
    if isinstance(value, str):
        return f'the text "{shortened(value)}"'
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    return shortened(json.dumps(value))


def _advice(value: Any, faults: list[dict[str, Any]], wanted: list[str]) -> str:
    kinds = {fault["type"] for fault in faults}
    if isinstance(value, str):
        if kinds & {"int_type", "float_type"} and _NUMBER.fullmatch(value):
            is_padded = value.lstrip("+-")[:1] == "0" and value.lstrip("+-")[1:2].isdecimal()
            return ": a number starts with no extra 0" if is_padded else ": remove the quotes"
        if "bool_type" in kinds and value.lower() in ("yes", "no", "on", "off", "y", "n"):
            return ": YAML 1.2 has only true and false"
        close = nearest(value, wanted) if "literal_error" in kinds else None
        return f": did you mean {close}?" if close else ""
    if isinstance(value, dict) and "a list" in wanted:
        return ": give the whole list"
    if isinstance(value, float) and value.is_integer() and kinds & {"int_type", "int_from_float"}:
        return f": write {value:.0f}"
    if isinstance(value, bool | int | float) and kinds == {"string_type"}:
        return f': write "{shortened(json.dumps(value))}" with quotes'
    return ""


def _unknown_key(path: Path, table: type[RunTable], merged: Merged, project: FolderPath | None) -> str:
    key, above = str(path[-1]), table_at(table, merged.data, path[:-1], project)
    sentence = f"'{shortened(format_path(path))}' is no setting"
    if above is None:
        return sentence
    known = list(fields_of(above))
    near = nearest(key, known)
    close = format_path((*path[:-1], near)) if near else _elsewhere(key, above, merged.data, path[:-1], project)
    return f"{sentence}; did you mean '{close}'?" if close else f"{sentence}; known here: {', '.join(sorted(known))}"


def _elsewhere(key: str, above: type[Table], data: Any, path: Path, project: FolderPath | None) -> str | None:
    """Find the key in a table beside it: `learning_rate` at the top is `optimizer.learning_rate`."""
    for name, field in fields_of(above).items():
        if content_of(field.annotation, field.metadata) is None:
            continue
        below = table_at(above, value_at(data, path), (name,), project)
        if below is not None and key in fields_of(below):
            return format_path((*path, name, key))
    return None
