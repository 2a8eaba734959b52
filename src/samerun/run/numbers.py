"""What a step logged, as plain numbers: read from tensors and NumPy once, at the step boundary."""

from __future__ import annotations

import struct
import sys
from collections.abc import Mapping
from pathlib import Path
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
    if _has_one_element(value):
        return _read(column, value.item())
    raise _refusal(column, value)


def check_number(column: str, value: Any, where: str) -> None:
    """Refuse (SR-RUN-007) at once what is seen to be no number without reading it, with the line that logs it.

    `where` says in which step. A tensor is not read, so that nothing waits for a device here.
    """
    if isinstance(value, (int, float)) or _has_one_element(value):
        return
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "samerun":
        frame = frame.f_back
    line = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
    raise _refusal(column, value, f"logged at: {line}, in {where}")


def _has_one_element(value: Any) -> bool:
    if not hasattr(value, "item") or getattr(value, "size", None) is None:
        return False
    return bool((value.numel() if hasattr(value, "numel") else value.size) == 1)


def _refusal(column: str, value: Any, *where: str) -> UsageError:
    found = f"found: {type(value).__name__} {value!r}"[:200]
    return UsageError(
        "SR-RUN-007",
        f"'{column}' is no number",
        evidence=(*where, found, "wanted: an int, a float, or one element of a tensor"),
        do="log a number; keep other things in run.values",
    )
