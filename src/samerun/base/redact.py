"""Secrets replaced by a marker, in texts and in trees of plain values. Never by a hash: nobody may test candidates.

What a secret is, is decided by the name beside it (secret_keys.py), by its shape (secret_shapes.py), by the form in
which it is written (secret_text.py), and by having been read by this process (revealed.py). The marker is always the
same, so that it tells no length.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, Final

from samerun.base.revealed import WHOLE, remember, revealed
from samerun.base.secret_keys import holds_numbers, is_secret_key, is_secret_variable
from samerun.base.secret_text import is_harmless_value, is_secret_beside, merged, secret_spans

__all__ = [
    "REDACTED",
    "is_secret_key",
    "is_secret_text",
    "is_secret_variable",
    "redact",
    "redact_text",
    "remember_environment",
    "remember_found",
    "strip_userinfo",
    "without_revealed",
]

REDACTED: Final = "[redacted]"

_USERINFO: Final = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]{0,30}://)[^\s/?#'\"<>]{0,800}@")
_SCP_USER: Final = re.compile(r"\A[^\s/@]+@(?=[^\s/]+[:/])")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,60}")
_VALUE_KEYS: Final = frozenset({"value", "default", "current"})


def is_secret_text(text: str) -> bool:
    """Whether a text holds a secret by its shape alone: known tokens, private keys, URL credentials, `password=...`."""
    return bool(secret_spans(text))


def redact_text(text: str) -> str:
    """Return the text with each secret in it replaced by "[redacted]"; the rest stays readable."""
    return _replaced(text, secret_spans(text))


def _replaced(text: str, spans: list[tuple[int, int]]) -> str:
    pieces, at = [], 0
    for start, end in spans:
        pieces += [text[at:start], REDACTED]
        at = end
    return "".join([*pieces, text[at:]]) if pieces else text


def without_revealed(text: str) -> str:
    """Return a text in which only the secrets that this process has read are replaced: for what is clean otherwise."""
    return _replaced(text, merged(revealed(text)))


def redact(tree: Any) -> tuple[Any, list[str]]:
    """Return a copy of a tree of dicts, lists and tuples without secrets, and the paths (`a.b[0]`) that were changed.

    Under a secret name every text and number goes; elsewhere only what is a secret by shape, or by entropy beside a
    telling name. In a command line (`["--api-key", "..."]`) the word after an option counts as standing under its name.
    References (`env:NAME`, `file:PATH`) stay.
    """
    found: list[str] = []
    return _redact(tree, "", None, found), found


def _redact(node: Any, path: str, key: str | None, found: list[str]) -> Any:
    if isinstance(node, dict):
        named = _named(node)
        keys = _redact_keys(node, path, found)
        return {
            keys[name]: _redact(item, f"{path}.{keys[name]}".lstrip("."), _inherit(key, name, named), found)
            for name, item in node.items()
        }
    if isinstance(node, (list, tuple)):
        items = [
            _redact(item, f"{path}[{at}]", _inherit(key, _option(node, at) or key, None), found)
            for at, item in enumerate(node)
        ]
        return items if isinstance(node, list) else tuple(items)
    clean = _redact_leaf(node, key)
    if clean is not node:
        found.append(path or "$")
    return clean


def _redact_keys(table: dict[Any, Any], path: str, found: list[str]) -> dict[Any, Any]:
    """Say for each key how it is told: two that become one are numbered, so that none loses its value."""
    secret = {name: redact_text(name) for name in table if isinstance(name, str) and is_secret_text(name)}
    taken = {name for name in table if name not in secret}
    for name, clean in secret.items():
        number, told = 1, clean
        while told in taken:
            number += 1
            told = f"{clean} ({number})"
        taken.add(told)
        found.append(f"{path}.{told}".lstrip("."))
        secret[name] = told
    return {name: secret.get(name, name) for name in table}


def _named(table: dict[Any, Any]) -> str | None:
    """Name that a table gives its value: `{"name": "HF_TOKEN", "value": "..."}`."""
    named = table.get("name", table.get("key"))
    return named if isinstance(named, str) and not _VALUE_KEYS.isdisjoint(table) else None


def _inherit(key: str | None, name: Any, named: str | None) -> str | None:
    # What lies below a secret name is secret, whatever it is called itself.
    if key is not None and is_secret_key(key):
        return key
    if named is not None and name in _VALUE_KEYS:
        return named
    return name if isinstance(name, str) else None


def _option(items: Any, at: int) -> str | None:
    before = items[at - 1] if at else None
    if isinstance(before, str) and before.startswith("-") and "=" not in before:
        return before.lstrip("-")
    is_name = len(items) == 2 and isinstance(before, str) and _NAME.fullmatch(before) is not None
    is_pair = is_name and is_secret_key(str(before)) and holds_numbers(str(before))
    return str(before) if is_pair else None  # ("api_key", "..."), as environments and headers are listed


def _redact_leaf(value: Any, key: str | None) -> Any:
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, (int, float)):
        return REDACTED if key is not None and is_secret_key(key) and holds_numbers(key) else value
    if not isinstance(value, str) or not value:
        return value
    if key is not None and is_secret_beside(key, value):
        return REDACTED
    clean = redact_text(value)
    return value if clean == value else clean


def remember_found(before: Any, clean: Any) -> None:
    """Take note of the texts that redaction replaced as a whole, so that they are found wherever else they are quoted.

    before, clean: a tree of plain values and what `redact` made of it. Short and ordinary words are left out.
    """
    if isinstance(before, dict) and isinstance(clean, dict):
        for one, other in zip(before.values(), clean.values(), strict=False):
            remember_found(one, other)
    elif isinstance(before, (list, tuple)) and isinstance(clean, (list, tuple)):
        for one, other in zip(before, clean, strict=True):
            remember_found(one, other)
    elif isinstance(before, str) and clean == REDACTED and _is_unmistakable(before):
        remember(before)


def remember_environment(environ: Mapping[str, str]) -> None:
    """Take note of the secrets among environment variables: a message of an error may quote one."""
    for name, value in environ.items():
        is_place = value.startswith("/") and os.path.exists(value)  # `..._CREDENTIALS` names the file that holds them
        if is_secret_variable(name) and not is_place and not is_harmless_value(value) and _is_unmistakable(value):
            remember(value)


def _is_unmistakable(value: str) -> bool:
    # `password: training` would take the word out of everything that is written.
    is_word = value.isalpha() or value.isdigit() or value.startswith(("/", "~", "."))
    return len(value) >= 2 * WHOLE or (len(value) >= WHOLE and not is_word)


def strip_userinfo(url: str) -> str:
    """Return a URL or an scp-like git remote without user and password, and with secret query values redacted."""
    stripped = _USERINFO.sub(lambda match: match["scheme"], url)
    return redact_text(_SCP_USER.sub("", stripped))
