"""Source text without the secrets that were written into it: the only change a snapshot makes to a file.

Whole string literals are judged, by their shape and by the name they are given; code around them stays as it is, so a
scrubbed file still parses. What a secret looks like is decided in base/redact.py.
"""

import ast
import io
import re
import tokenize
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator

from samerun.base.redact import REDACTED, is_secret_key, is_secret_text, redact, redact_text
from samerun.base.secret_keys import holds_numbers, is_telling_key
from samerun.record.named_literals import Place, is_word, secret_spans

_SKIPPED = frozenset({tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT})

# From Python 3.12 on, the text of an f-string is a token of its own.
_TEXTS = frozenset({tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", tokenize.COMMENT)})


def scrub(data: bytes) -> tuple[bytes, int]:
    """Return the bytes of a Python file with each secret replaced by "[redacted]", and how many were replaced.

    Text that is no Python is searched for secrets by shape alone.
    """
    text, encoding = text_of(data)
    spans = _spans_in(text)
    if spans is None:
        clean = redact_text(text)
        return (data, 0) if clean == text else (clean.encode(encoding), 1)
    if not spans:
        return data, 0
    # As the tokenizer counts lines: a form feed ends none.
    lines = text.split("\n")
    for (row, start), (end_row, end), replacement in reversed(spans):
        first, last = lines[row - 1], lines[end_row - 1]
        # A literal over several lines keeps its number of lines, so that line numbers stay true.
        whole = first[:start] + replacement + "\\\n" * (end_row - row) + last[end:]
        lines[row - 1 : end_row] = whole.split("\n")
    return "\n".join(lines).encode(encoding), len(spans)


def text_of(data: bytes) -> tuple[str, str]:
    """Return the text of a file and an encoding that gives its very bytes back, whatever they are."""
    for encoding in ("utf-8-sig" if data.startswith(BOM_UTF8) else "utf-8", *_wide(data)):
        try:
            return data.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1"), "latin-1"


def _wide(data: bytes) -> Iterator[str]:
    """Name the encodings of two bytes a letter that a file may have, by its first bytes."""
    if data[:2] in (BOM_UTF16_LE, BOM_UTF16_BE):
        yield "utf-16-le" if data.startswith(BOM_UTF16_LE) else "utf-16-be"


def secrets_in(data: bytes) -> list[bytes]:
    """Return the pieces of a Python file that `scrub` replaces because of a name, line by line, and maybe others."""
    text, encoding = text_of(data)
    if not any(is_secret_key(word) or is_telling_key(word) for word in set(_NAME.findall(text))):
        return []  # reading every token takes long
    spans = _spans_in(text)
    lines = text.split("\n")
    found = []
    for (row, start), (end_row, end), _ in spans or ():
        pieces = [*lines[row - 1 : end_row - 1], lines[end_row - 1][:end]]
        found += [pieces[0][start:], *pieces[1:]]
    return [piece.strip().encode(encoding) for piece in found if piece.strip(" \t\r\f\"'")]


_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_\-]*")
Replaced = tuple[Place, Place, str]


def _spans_in(text: str) -> list[Replaced] | None:
    """Return where secrets stand in a Python text, in order, and what is put there; None where it is none."""
    try:
        return list(_secret_literals(text))
    except (tokenize.TokenError, SyntaxError, ValueError):
        return None


def _secret_literals(text: str) -> Iterator[Replaced]:
    named = secret_spans(text)
    before: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_named = named.hold(token.start, token.end)
        if token.type == tokenize.STRING and (is_named or _is_secret(token.string, before)):
            is_bytes = "b" in re.split("['\"]", token.string, maxsplit=1)[0].lower()
            yield token.start, token.end, f'b"{REDACTED}"' if is_bytes else f'"{REDACTED}"'
        elif token.type in _TEXTS and (is_secret_text(token.string) or is_named):
            yield token.start, token.end, REDACTED if is_named else redact_text(token.string)
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


def _is_secret(literal: str, before: list[tokenize.TokenInfo]) -> bool:
    value, name = _value(literal), _name_of(before)
    if not isinstance(value, str):
        return is_secret_text(literal)
    if is_secret_text(value):
        return True
    if name is None or (is_word(value) and (_is_listed(before) or before[-1].string in ("==", "!="))):
        return False  # `("password", "api_key")` lists names, and `token == "cls"` reads a language
    return bool(redact({name: value})[1])


def _is_listed(before: list[tokenize.TokenInfo]) -> bool:
    """Whether the next literal is an item beside another one, and no argument of a call."""
    is_argument = len(before) > 3 and before[-3].string == "(" and before[-4].type == tokenize.NAME
    return before[-1].string == "," and not is_argument


def _value(literal: str) -> object:
    try:
        return ast.literal_eval(literal)
    except (ValueError, SyntaxError):
        return None
