"""Whether a text was drawn rather than written: the look of keys, digests and passwords that nobody types.

Entropy alone takes names of modules and weights for secrets; what tells is how often letters, digits and cases
alternate within one run. A pure judgement of texts; which names make it count is secret_keys.py's.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Final

SHORTEST: Final = 16
"""Shorter texts are not judged by their look."""

_RUN: Final = re.compile(r"[A-Za-z0-9]{10,}")
_HEX: Final = re.compile(r"[0-9a-f]{24,}|[0-9A-F]{24,}")
_PIECE: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_UUID: Final = re.compile(r"\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?", re.IGNORECASE)
_PATH_LIKE: Final = re.compile(r"(~|\.{1,2})?/.*|.*\.[A-Za-z][A-Za-z0-9]{0,5}", re.DOTALL)
_LONGEST: Final = 4096
"""Of longer texts the beginning is judged."""

_WRITTEN: Final = 3.5
"""Letters or digits between two changes of class, on average: written names have more, drawn ones fewer."""
_ENTROPY: Final = 3.0
"""Bits a character (Shannon, over the text itself); `aaaaaaaa1` has less."""


def looks_drawn(text: str) -> bool:
    """Whether a text of one word has the look of a key: at least 16 characters, letters and digits or cases mixed.

    Paths, file names, dotted names and UUIDs are not drawn.
    """
    if len(text) < SHORTEST or any(letter.isspace() for letter in text[:_LONGEST]):
        return False
    shown = text[:_LONGEST]
    if _PATH_LIKE.fullmatch(shown) or _UUID.fullmatch(shown):
        return False
    return entropy(shown) >= _ENTROPY and any(_is_mixed(run) for run in _RUN.findall(shown))


def _is_mixed(run: str) -> bool:
    pieces = _PIECE.findall(run)
    has_letters = any(letter.isalpha() for letter in run)
    if len(pieces) < 4 or not has_letters:
        return False
    if len(run) / len(pieces) < _WRITTEN or _HEX.fullmatch(run):
        return True
    # One case and digits (base 36, base 32) change class seldom.
    groups = sum(piece.isdigit() for piece in pieces)
    return (len(run) >= SHORTEST and run.isupper() and groups >= 2) or (len(run) >= 20 and groups >= 4)


def entropy(text: str) -> float:
    """Return the entropy of a text in bits a character (Shannon 1948), from the frequencies in it."""
    counts = Counter(text).values()
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts) if text else 0.0


def looks_issued(token: str) -> bool:
    """Whether what stands behind a known prefix was issued: `sk-learn-digits-classification-2` is a name.

    An issued token has a long run with digits or with both cases.
    """
    return any(
        any(letter.isdigit() for letter in run) or (not run.islower() and not run.isupper())
        for run in re.findall(r"[A-Za-z0-9]{16,}", token[:_LONGEST])
    )
