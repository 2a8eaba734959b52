"""Secrets that this process has read: from then on their literal value is found in any text that is redacted.

They are held in memory alone and forgotten with the process. Reading is config/values.py's; replacing, redact.py's.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote, quote_plus

WHOLE: Final = 8
"""A shorter value is found only where it stands alone: `ab` is a part of many words."""

_values: set[str] = set()
_patterns: list[re.Pattern[str]] = []


def remember(value: str) -> None:
    """Take note of a secret that was read just now; texts made from here on are searched for it."""
    if value and value not in _values:
        _values.add(value)
        _patterns[:] = [re.compile("|".join(sorted(_spellings(), key=len, reverse=True)))]


def knows_any() -> bool:
    """Whether this process has read a secret at all."""
    return bool(_values)


def forget_all() -> None:
    """Forget every secret: for a process that goes on with other work."""
    _values.clear()
    _patterns.clear()


def revealed(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans where a secret that was read stands in a text, also percent-encoded, escaped or in base 64."""
    for pattern in _patterns:
        for match in pattern.finditer(text):
            yield match.span()


def _spellings() -> set[str]:
    return {
        re.escape(spelling) if len(spelling) >= WHOLE else rf"(?<![A-Za-z0-9]){re.escape(spelling)}(?![A-Za-z0-9])"
        for value in _values
        for spelling in _spellings_of(value)
    }


def _spellings_of(value: str) -> set[str]:
    data = value.encode("utf-8", "surrogatepass")
    lines = {line.strip() for line in value.splitlines() if len(line.strip()) >= 2 * WHOLE}
    encoded = {base64.b64encode(data).decode().rstrip("="), base64.urlsafe_b64encode(data).decode().rstrip("=")}
    percent = {quote(data), quote(data, safe=""), quote_plus(data)}
    escaped = {json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], repr(value)[1:-1]}
    return {spelling for spelling in {value, *lines, *encoded, *percent, *escaped, data.hex()} if spelling}
