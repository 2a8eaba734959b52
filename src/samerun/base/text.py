"""Small texts for people: the nearest known name, sizes and spans in words. Nothing here is read by a script."""

from __future__ import annotations

import re
from collections.abc import Iterable

_DIGEST = re.compile(r"\b((?:sha256|xxh3):[0-9a-f]{8})[0-9a-f]+(?:\.\.\.)?")
_SIZE_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that looks most like `name`, or None when none is close (difflib ratio >= 0.6)."""
    from difflib import get_close_matches

    names = sorted(set(known))
    found = get_close_matches(name, names, n=1, cutoff=0.6)
    if found:
        return found[0]
    folded = {candidate.lower().replace("-", "_"): candidate for candidate in names}
    found = get_close_matches(name.lower().replace("-", "_"), sorted(folded), n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `did you mean 'x'?`, or a list of what is known when nothing is close."""
    names = sorted(set(known))
    if guess := nearest(name, names):
        return f"did you mean {guess!r}?"
    return f"known: {', '.join(names)}" if names else "none is known"


def short_digests(text: str) -> str:
    """Return a text with each digest in it cut to its beginning: `sha256:01234567...`."""
    return _DIGEST.sub(r"\1...", text)


def shown(name: str) -> str:
    """Return the name of a file with all that would steer a terminal, or that no terminal can show, written out."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in name)


def human_bytes(size_bytes: float) -> str:
    """Return a size such as `512 B` or `1.4 GiB`."""
    size = float(size_bytes)
    for unit in _SIZE_UNITS:
        if abs(size) < 1024 or unit == _SIZE_UNITS[-1]:
            break
        size /= 1024
    return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"


def human_seconds(seconds: float) -> str:
    """Return a span such as `350 ms`, `12.3 s`, `4 min 05 s` or `2 h 03 min`."""
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    return f"{whole // 86400} d {whole % 86400 // 3600:02d} h"


def plural(number: int, word: str, words: str | None = None) -> str:
    """Return `1 step`, `3 steps`; `words` where adding an s is wrong."""
    return f"{number} {word if number == 1 else words or word + 's'}"
