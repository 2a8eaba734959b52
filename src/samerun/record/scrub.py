"""Source text without the secrets that were written into it: the only change a snapshot makes to a file.

Whole string literals are judged, by their shape and by the name they are given; code around them stays as it is, so a
scrubbed file still parses. What a secret looks like is decided in base/redact.py.
"""

import ast
import io
import tokenize
from collections.abc import Iterator

from samerun.base.redact import REDACTED, is_secret_key, is_secret_text, redact, redact_text
from samerun.base.secret_keys import holds_numbers

_SKIPPED = frozenset({tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT})

# From Python 3.12 on, the text of an f-string is a token of its own.
_TEXTS = frozenset({tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", tokenize.COMMENT)})


def scrub(data: bytes) -> tuple[bytes, int]:
    """Return the bytes of a Python file with each secret replaced by "[redacted]", and how many were replaced.

    Text that is no Python (or not UTF-8) is searched for secrets by shape alone.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return data, 0
    try:
        spans = list(_secret_literals(text))
    except (tokenize.TokenError, SyntaxError, ValueError):
        clean = redact_text(text)
        return (data, 0) if clean == text else (clean.encode("utf-8"), 1)
    # As the tokenizer counts lines: a form feed ends none.
    lines = io.StringIO(text).readlines()
    for (row, start), (end_row, end), replacement in reversed(spans):
        first, last = lines[row - 1], lines[end_row - 1]
        # A literal over several lines keeps its number of lines, so that line numbers stay true.
        lines[row - 1 : end_row] = [first[:start] + replacement + "\\\n" * (end_row - row) + last[end:]]
    num_commands = _scrub_commands(lines)
    return ("".join(lines).encode("utf-8") if spans or num_commands else data), len(spans) + num_commands


def _scrub_commands(lines: list[str]) -> int:
    """Redact, in place, the lines of a notebook's cell that are no Python: `%env NAME=...`, `!curl -u ...`."""
    count = 0
    for at, line in enumerate(lines):
        if line.lstrip()[:1] in ("%", "!") and (clean := redact_text(line)) != line:
            lines[at] = clean
            count += 1
    return count


def _secret_literals(text: str) -> Iterator[tuple[tuple[int, int], tuple[int, int], str]]:
    before: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING and _is_secret(token.string, _name_of(before)):
            yield token.start, token.end, f'"{REDACTED}"'
        elif token.type in _TEXTS and is_secret_text(token.string):
            yield token.start, token.end, redact_text(token.string)
        if token.type == tokenize.NEWLINE:
            before = []
        elif token.type not in _SKIPPED:
            before.append(token)


def _name_of(before: list[tokenize.TokenInfo]) -> str | None:
    """Name that the next literal is given, by the tokens before it in its logical line.

    `name = "..."`, `name: str = "..."`, `f(name="...")`, `"name": "..."`, `a["name"] = "..."`, `name == "..."`, and the
    fallback in `get("NAME", "...")`.
    """
    if len(before) < 2:
        return None
    sign, last = before[-1].string, before[-2]
    if sign == "," and last.type == tokenize.STRING:
        asked = _text_of(last)
        return asked if asked is not None and is_secret_key(asked) and holds_numbers(asked) else None
    if sign not in ("=", ":", "==", "!=", ":="):
        return None
    if last.type == tokenize.STRING:
        return _text_of(last) if sign == ":" else None
    if last.string == "]" and len(before) > 2 and before[-3].type == tokenize.STRING:
        return _text_of(before[-3])
    is_annotated = sign == "=" and len(before) > 3 and before[0].type == tokenize.NAME and before[1].string == ":"
    return before[0].string if is_annotated else last.string if last.type == tokenize.NAME else None


def _text_of(token: tokenize.TokenInfo) -> str | None:
    value = _value(token.string)
    return value if isinstance(value, str) else None


def _is_secret(literal: str, name: str | None) -> bool:
    value = _value(literal)
    if not isinstance(value, str):
        return is_secret_text(literal)
    if is_secret_text(value):
        return True
    return name is not None and bool(redact({name: value})[1])


def _value(literal: str) -> object:
    try:
        return ast.literal_eval(literal)
    except (ValueError, SyntaxError):
        return None
