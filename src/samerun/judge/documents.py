"""JSON documents of two runs compared field by field: config with the origin of each value, environment, data.

What a moved fact means for the identity is record/identity.py's to say; here are only paths and both values. Source
files are in sources.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from samerun.data.diff import content_differences
from samerun.record.data import DataRecord, FolderFiles

Origins = Mapping[str, Mapping[str, str]]
"""Dotted path -> the layer that set the value, and where in it."""

_GROUPS: Final = {
    "distributions": "packages",
    "variables": "variables",
    "python": "python",
    "system": "system",
    "cpu": "cpu",
    "libraries": "libraries",
    "accelerator": "accelerator",
    "threads": "threads",
    "locale": "locale",
    "lock_files": "lock files",
}
_EXPLAINING: Final = ("digest", "reasons")
"""What a document says of itself: no fact that could differ."""

ABSENT: Final = "(absent)"
"""Stands for a side that has no such field: a value may be null."""


def differences(a: Any, b: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield (path, value in a, value in b) for every leaf that differs; keys joined by dots, lists by index."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for key in sorted(a.keys() | b.keys()):
            yield from differences(a.get(key, ABSENT), b.get(key, ABSENT), f"{path}.{key}" if path else str(key))
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for index, (one, other) in enumerate(zip(a, b, strict=True)):
            yield from differences(one, other, f"{path}[{index}]")
    elif type(a) is not type(b) or a != b:
        yield path, a, b


def rows(a: Any, b: Any) -> list[dict[str, Any]]:
    """List the differing fields of two documents as rows of a section."""
    return [{"path": path, "a": left, "b": right} for path, left, right in differences(a, b)]


def environment_rows(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[dict[str, Any]]:
    """List what differs of two environments, field by field, each with its `group`: packages, variables, cpu, ...

    A package that one side lacks is told by its version.
    """
    return [
        {"group": _GROUPS.get(path.split(".")[0], "other"), "path": path, "a": left, "b": right}
        for path, left, right in _environment(a, b)
    ]


def git_rows(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[dict[str, Any]]:
    """List what git said otherwise of two sources, as rows of the environment; what is not committed is one row."""
    one, other = a.get("git"), b.get("git")
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        return []
    return [{"group": "git", "path": path, "a": left, "b": right} for path, left, right in _git(one, other)]


def argument_rows(a: Sequence[str], b: Sequence[str]) -> list[dict[str, Any]]:
    """List the arguments of two scripts as one row of the environment, where they differ."""
    return [] if a == b else [{"group": "arguments", "path": "arguments", "a": list(a), "b": list(b)}]


def _environment(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    for key in sorted(a.keys() | b.keys()):
        one, other = a.get(key, ABSENT), b.get(key, ABSENT)
        if key in _EXPLAINING:
            continue
        if key == "distributions" and isinstance(one, Mapping) and isinstance(other, Mapping):
            yield from _distributions(one, other)
        else:
            yield from differences(one, other, key)


def _distributions(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    for name in sorted(a.keys() | b.keys()):
        for path, one, other in differences(a.get(name, {}), b.get(name, {}), f"distributions.{name}"):
            if path.endswith(".version") or (name in a and name in b):
                yield path, one, other


def _git(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    lists = a.get("changed"), b.get("changed")
    if isinstance(lists[0], list) and isinstance(lists[1], list) and lists[0] != lists[1]:
        yield "git.changed", sorted({*lists[0]} - {*lists[1]}), sorted({*lists[1]} - {*lists[0]})
    one, other = ({key: side[key] for key in side if key != "changed"} for side in (a, b))
    yield from differences(one, other, "git")


def data_rows(a: DataRecord, b: DataRecord) -> list[dict[str, Any]]:
    """List the inputs that differ; `files` names those of a folder that do, None where they are not listed."""
    return [
        {"path": path, "a": one, "b": other, "files": _files(a.folders.get(name), b.folders.get(name))}
        for name in sorted(a.inputs.keys() | b.inputs.keys())
        for path, one, other in differences(a.inputs.get(name, ABSENT), b.inputs.get(name, ABSENT), f"inputs.{name}")
    ]


def _files(a: FolderFiles | None, b: FolderFiles | None) -> dict[str, Any] | None:
    if a is None or b is None:
        return None
    found = content_differences(a.files, b.files)
    return {
        "changed": list(found.altered),
        "added": list(found.extra),
        "removed": list(found.missing),
        "moved": [list(pair) for pair in found.moved],
        "of": found.of,
    }


def config_rows(
    a: Mapping[str, Any], b: Mapping[str, Any], origins_a: Origins, origins_b: Origins
) -> list[dict[str, Any]]:
    """List the settings that differ, each with where either side got it from."""
    return [
        {**row, "a_origin": origin_of(origins_a, row["path"]), "b_origin": origin_of(origins_b, row["path"])}
        for row in rows(a, b)
    ]


def origin_of(origins: Origins, path: str) -> str | None:
    """Say where a value, or the nearest table around it, came from: `recipe digits.yaml:9`; None where unknown."""
    while path:
        if path in origins:
            origin = origins[path]
            return f"{origin.get('layer', '')} {origin.get('where', '')}".strip()
        cut = max(path.rfind("."), path.rfind("["))
        path = path[:cut] if cut > 0 else ""
    return None
