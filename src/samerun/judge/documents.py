"""JSON documents of two runs compared field by field: config with the origin of each value, source, environment, data.

What a moved fact means for the identity is record/identity.py's to say; here are only paths and both values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

Origins = Mapping[str, Mapping[str, str]]
"""Dotted path -> the layer that set the value, and where in it."""

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


def source_rows(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[dict[str, Any]]:
    """List the source files that differ; `counts` says whether their meaning does, or only comments and layout."""
    left, right = _by_label(a), _by_label(b)
    found = []
    for label in sorted(left.keys() | right.keys()):
        one, other = left.get(label), right.get(label)
        if one != other:
            counts = one is None or other is None or one[0] != other[0]
            sides = [ABSENT if side is None else side[0 if counts else 1] for side in (one, other)]
            found.append({"path": label, "a": sides[0], "b": sides[1], "counts": counts})
    return found


def _by_label(source: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Group and label of each file -> digest of its meaning, digest of its bytes."""
    return {label: (file["meaning"], file["content"]) for label, file in source.get("files", {}).items()}


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
