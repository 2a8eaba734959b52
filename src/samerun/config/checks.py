"""Checks on plain values that no schema makes: negative zero, what is not finite, broken text, secrets.

They run on the merged tree before validation, so that their problems stand beside those of validation.
"""

import math
from collections.abc import Iterator
from typing import Any

from samerun.base.redact import REDACTED, is_secret_text, redact
from samerun.config.merge import Merged
from samerun.config.problems import NUMBER, SECRET, SYNTAX, Path, Problem, format_path, is_unicode


def check_values(merged: Merged) -> dict[Path, Problem]:
    """Return a problem for each value that no setting may have, by its path."""
    found: dict[Path, Problem] = {}
    for path, value in _walk(merged.data, ()):
        sentence = _number_fault(value) if isinstance(value, float) else _text_fault(value)
        if sentence is not None:
            code = NUMBER if isinstance(value, float) else SYNTAX
            found[path] = merged.problem(path, f"'{format_path(path)}' is {sentence}", code)
    return found


def _number_fault(value: float) -> str | None:
    if value == 0 and math.copysign(1.0, value) < 0:
        return "-0.0, which is equal to 0.0 and is not: write 0.0"
    if math.isfinite(value):
        return None
    return f"{'not a number' if math.isnan(value) else 'infinite, or too large'}: a setting is a finite number, or null"


def _text_fault(value: Any) -> str | None:
    if not isinstance(value, str) or is_unicode(value):
        return None
    return "text with half a surrogate pair, which is no Unicode text"


def check_secrets(merged: Merged) -> dict[Path, Problem]:
    """Return a problem for each value, and each other line of the recipe, that looks like a secret.

    The value itself is repeated nowhere.
    """
    clean, hidden = redact(merged.data)
    found: dict[Path, Problem] = {}
    lines: set[int] = set()
    for path in hidden_paths(merged.data, clean) if hidden else ():
        shown = format_path(tuple(REDACTED if isinstance(key, str) and is_secret_text(key) else key for key in path))
        found[path] = _secret(merged, path, f"the value of '{shown}' looks like a secret")
        lines.add(merged.line(path))
    for number, text in enumerate(merged.document.raw.decode("utf-8", "replace").splitlines(), 1):
        if number not in lines and is_secret_text(text):
            where = f"{merged.document.name}:{number}"
            found[("", number)] = Problem(number, where, "the line holds what looks like a secret", SECRET, _ADVICE)
    return found


_ADVICE = "write env:NAME or file:PATH in its place, and replace the secret if the file was shared"


def _secret(merged: Merged, path: Path, sentence: str) -> Problem:
    return merged.problem(path, f"{sentence}; recipes are stored in run folders, secrets never", SECRET, _ADVICE)


def hidden_paths(before: Any, after: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of what redaction changed, in keys or values."""
    if isinstance(before, dict):
        for (key, value), (new_key, new_value) in zip(before.items(), after.items(), strict=False):
            if key == new_key:
                yield from hidden_paths(value, new_value, (*path, key))
            else:
                yield (*path, key)
    elif isinstance(before, list):
        for index, (value, new_value) in enumerate(zip(before, after, strict=True)):
            yield from hidden_paths(value, new_value, (*path, index))
    elif before is not after and before != after:
        yield path


def _walk(node: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    if isinstance(node, dict):
        for key, item in node.items():
            yield (*path, key), key
            yield from _walk(item, (*path, key))
    elif isinstance(node, list):
        for index, item in enumerate(node):
            yield from _walk(item, (*path, index))
    else:
        yield path, node
