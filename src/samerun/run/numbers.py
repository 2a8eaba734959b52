"""What a step logged, as plain numbers: read from tensors and NumPy once, at the step boundary."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from samerun.base.digest import xxh3
from samerun.errors import UsageError


def read_numbers(logged: Mapping[str, Any]) -> dict[str, int | float]:
    """Turn logged values into ints and floats (one element each); anything else is SR-RUN-007."""
    return {column: _read(column, value) for column, value in logged.items()}


def digest_numbers(numbers: Mapping[str, int | float]) -> str | None:
    """Digest names, kinds and exact bits of the numbers of a step; `None` when nothing was logged."""
    if not numbers:
        return None
    parts = []
    for column, value in numbers.items():
        parts.append(column.encode())
        parts.append(b"f" + struct.pack("<d", value) if isinstance(value, float) else b"i%d" % value)
    return xxh3(b"\x00".join(parts))


def _read(column: str, value: Any) -> int | float:
    kind = type(value)
    if kind is float or kind is int:
        return value  # type: ignore[no-any-return]
    if kind is bool:
        return int(value)
    if hasattr(value, "item") and getattr(value, "size", None) is not None:
        count = value.numel() if hasattr(value, "numel") else value.size
        if count == 1:
            return _read(column, value.item())
    raise UsageError(
        "SR-RUN-007",
        f"'{column}' is no number",
        evidence=(f"found: {kind.__name__} {value!r}"[:200], "wanted: an int, a float, or one element of a tensor"),
        do="log a number; keep other things in run.values",
    )
