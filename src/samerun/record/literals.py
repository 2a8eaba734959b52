"""Which string literals of Python source hold a secret: by their text, and by the name that they are given.

Read from the tokens, so that a notebook's cell and half a file are judged as well as a whole one. f-strings, bytes,
adjacent literals and those in parentheses are literals like any other.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from samerun.base.redact import REDACTED, is_secret_key
from samerun.base.secret_keys import holds_numbers
from samerun.base.secret_text import is_secret_beside
from samerun.record.named_literals import Spans, is_word, named_spans
from samerun.record.wording import holds_secret, word_spans

Found = tuple[int, int, str]
"""Start, end and what to put there."""

_SKIPPED: Final = frozenset({tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER})
_FSTRING_START: Final = getattr(tokenize, "FSTRING_START", -1)
_FSTRING_END: Final = getattr(tokenize, "FSTRING_END", -1)
_SIGNS: Final = frozenset({"=", ":", "==", "!=", ":="})
_GLUE: Final = 6
"""Letters between the values of an f-string that may be a secret's own."""
_BACK: Final = 40
"""Tokens that are looked back over for a name."""

Tokens = Sequence[tokenize.TokenInfo]


class _Source:
    def __init__(self, text: str) -> None:
        lines = io.StringIO(text).readlines()
        self.text = text
        self.lines = lines
        self._starts = [0, *accumulate(len(line) for line in lines)]

    def at(self, place: tuple[int, int]) -> int:
        """Give the offset of a place as the tokenizer tells it: a form feed ends no line."""
        return min(self._starts[min(place[0] - 1, len(self._starts) - 1)] + place[1], len(self.text))


def literal_spans(text: str) -> list[Found]:
    """Find the literals that hold a secret, and secrets in comments. Raises SyntaxError or tokenize.TokenError."""
    return list(_all(_Source(text), named_spans(text)))


def _all(source: _Source, named: Spans) -> Iterator[Found]:
    line: list[tokenize.TokenInfo] = []
    for token in _tokens(source):
        if token.type == tokenize.COMMENT:
            start = source.at(token.start)
            yield from ((start + one, start + end, REDACTED) for one, end in word_spans("", token.string))
        elif token.type == tokenize.NEWLINE:
            yield from _of_line(source, line, named)
            line = []
        elif token.type not in _SKIPPED:
            line.append(token)
    yield from _of_line(source, line, named)


def _tokens(source: _Source) -> Iterator[tokenize.TokenInfo]:
    """Yield the tokens, an f-string as one, as it was before Python 3.12."""
    begun: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(iter([*source.lines, ""]).__next__):
        if token.type == tokenize.ERRORTOKEN and token.string[:1] in ("'", '"'):
            raise SyntaxError("a literal without an end")
        if token.type == _FSTRING_START:
            begun.append(token)
        elif token.type == _FSTRING_END:
            first = begun.pop()
            if not begun:
                whole = source.text[source.at(first.start) : source.at(token.end)]
                yield tokenize.TokenInfo(tokenize.STRING, whole, first.start, token.end, token.line)
        elif not begun:
            yield token


def _of_line(source: _Source, line: Tokens, named: Spans) -> Iterator[Found]:
    at = 0
    while at < len(line):
        if line[at].type != tokenize.STRING:
            at += 1
            continue
        end = at + 1
        while end < len(line) and line[end].type == tokenize.STRING:
            end += 1
        values = [_value(token.string) for token in line[at:end]]
        is_compared = at > 0 and line[at - 1].string in ("==", "!=")
        # `if token == "cls"` asks which of several words it is.
        names = [] if is_compared and is_word("".join(values)) else _names_of(line, at, end)
        is_whole = any(_is_secret(value, names) for value in (*values, "".join(values)))
        is_named = bool("".join(values).replace(REDACTED, "").strip()) and named.hold(line[at].start, line[at].end)
        is_whole = is_whole or is_named or any(_hides_one(token.string) for token in line[at:end])
        for token in line[at:end] if is_whole else ():
            yield _replaced(source, token)
        at = end


def _replaced(source: _Source, token: tokenize.TokenInfo) -> Found:
    prefix = token.string[: min(token.string.find(quote) for quote in "'\"" if quote in token.string)]
    # A literal over several lines keeps its number of lines, so that line numbers stay true.
    more = "\\\n" * (token.end[0] - token.start[0])
    mark = f'{"b" if "b" in prefix.lower() else ""}"{REDACTED}"'
    return source.at(token.start), source.at(token.end), mark + more


def _is_secret(value: str, names: Sequence[str]) -> bool:
    bare = value.replace(REDACTED, "").strip()
    return bool(bare) and (holds_secret(value) or any(is_secret_beside(name, bare) for name in names))


def _value(literal: str) -> str:
    """Give the text of a literal; of an f-string what stands in it as it is, "" where that is glue between values."""
    body = _parsed(literal)
    if isinstance(body, ast.Constant):
        return body.value.decode("latin-1") if isinstance(body.value, bytes) else str(body.value)
    if not isinstance(body, ast.JoinedStr):
        return literal
    texts = [part.value for part in body.values if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    joined = "".join(texts)
    return joined if len(texts) == len(body.values) or len(joined.strip()) >= _GLUE else ""


def _hides_one(literal: str) -> bool:
    """Whether an expression inside of an f-string holds a secret."""
    body = _parsed(literal) if "{" in literal and "f" in literal[:2].lower() else None
    parts = body.values if isinstance(body, ast.JoinedStr) else []
    return any(literal_spans(ast.unparse(part.value)) for part in parts if isinstance(part, ast.FormattedValue))


def _parsed(literal: str) -> ast.expr | None:
    try:
        return ast.parse(literal.strip(), mode="eval").body
    except (ValueError, SyntaxError):
        return None


def _names_of(line: Tokens, at: int, end: int) -> list[str]:
    """List the names that a literal may be given, by the tokens before it in its logical line.

    `name = "..."`, `name: str = "..."`, `f(name="...")`, `"name": "..."`, `a["name"] = "..."`, `name == "..."`, the
    fallback in `get("NAME", "...")` and in `name = x or "..."`, each also with parentheses around the literal.
    """
    first = max(at - _BACK, 0)
    is_item = end < len(line) and line[end].string == ","
    while (
        not is_item
        and at - 1 > first
        and line[at - 1].string == "("
        and line[at - 2].string in (*_SIGNS, "(", ",", "or", "else")
    ):
        at -= 1
    while at - 2 >= first and line[at - 1].string == "+" and line[at - 2].type == tokenize.STRING:
        at -= 2
    if at - 2 < first:
        return []
    sign, last = line[at - 1].string, line[at - 2]
    if sign in ("or", "else"):
        return _names_before(line, at - 1, first)
    if sign == "," and last.type == tokenize.STRING:
        asked = _value(last.string)
        is_asked = is_secret_key(asked) and holds_numbers(asked) and _is_pair(line, at - 2, end)
        return [asked] if is_asked else []
    return _names_at(line, at - 1, first) if sign in _SIGNS else []


def _is_pair(line: Tokens, at: int, end: int) -> bool:
    """Whether the literals at `at` and before `end` are two by themselves, or the last two arguments of a call."""
    after = line[end : end + 2]
    is_last = bool(after) and (after[0].string in (")", "]") or [one.string for one in after] == [",", ")"])
    is_call = is_last and line[end].string != "]" and _is_called(line, at)
    return is_last and at >= 1 and (line[at - 1].string in ("(", "[") or (is_call and line[at - 1].string == ","))


def _is_called(line: Tokens, at: int) -> bool:
    """Whether the parenthesis around a literal holds the arguments of a call, and no items of a tuple."""
    depth = 0
    for here in range(at - 1, 0, -1):
        text = line[here].string
        depth += (text in (")", "]", "}")) - (text in ("(", "[", "{"))
        if depth < 0:
            before = line[here - 1]
            return text == "(" and (before.type == tokenize.NAME or before.string in (")", "]"))
    return False


def _names_before(line: Tokens, at: int, first: int) -> list[str]:
    """Name of the value that begins before `at`: in `name = x or "..."` and `get(name=x if y else "...")`."""
    # `get("NAME") or "..."`, `environ["NAME"] if x else "..."`
    is_asked = at - 2 >= first and line[at - 1].string in (")", "]") and line[at - 2].type == tokenize.STRING
    asked = [_value(line[at - 2].string)] if is_asked else []
    depth = 0
    for here in range(at - 1, first, -1):
        text = line[here].string
        depth += (text in (")", "]", "}")) - (text in ("(", "[", "{"))
        if depth < 0 or (depth == 0 and text == ","):
            break
        if depth == 0 and text in ("=", ":", ":="):
            return [*asked, *_names_at(line, here, first)]
    return asked


def _names_at(line: Tokens, sign: int, first: int) -> list[str]:
    last = line[sign - 1]
    if last.type == tokenize.STRING:
        return [_value(last.string)] if line[sign].string == ":" else []
    if last.string == "]" and sign - 2 >= first and line[sign - 2].type == tokenize.STRING:
        return [_value(line[sign - 2].string)]
    own = [last.string] if last.type == tokenize.NAME else []
    return [*own, *_annotated(line, sign, first)] if line[sign].string == "=" else own


def _annotated(line: Tokens, sign: int, first: int) -> list[str]:
    """Give the name of `name: Annotation = "..."`, also as an argument or an attribute."""
    depth = 0
    for here in range(sign - 1, first, -1):
        text = line[here].string
        depth += (text in (")", "]", "}")) - (text in ("(", "[", "{"))
        if depth < 0 or (depth == 0 and text in (",", "=")):
            return []
        if depth == 0 and text == ":":
            return [line[here - 1].string] if line[here - 1].type == tokenize.NAME else []
    return []
