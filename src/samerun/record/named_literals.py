"""Literals of Python source that stand under a name, however far from it: `password = get() or "..."`, `("a" "b")`.

What stands directly beside its name is found by the tokens alone (literals.py), also in text that does not parse.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from samerun.base.redact import is_secret_key
from samerun.base.secret_text import is_secret_beside

Place = tuple[int, int]
"""Row, from 1, and column in characters."""

_KEEPING: Final = frozenset({"str", "bytes", "SecretStr", "SecretBytes", "encode", "decode", "strip"})
"""Calls that give the text which they are given: what other ones are given is the name of something."""
_LONE_RETURN: Final = re.compile(r"\r(?!\n)")
_OPTIONS: Final = frozenset({"add_argument", "option", "Option"})
_WORDS: Final = re.compile(r"[A-Za-z_.\-\s]*")
"""Items that are the names of secrets: `SECRET_KEYS = ("password", "api_key")`."""


@dataclass(frozen=True)
class Spans:
    """Where the literals stand that are secrets by their name."""

    found: tuple[tuple[Place, Place], ...] = ()

    def hold(self, start: Place, end: Place) -> bool:
        """Whether a token lies in one of them."""
        return any(first <= start and end <= last for first, last in self.found)


def named_spans(text: str) -> Spans:
    """Find the literals that are secrets because of a name; none in text that is no Python."""
    if _LONE_RETURN.search(text):
        return Spans()  # a line end for the parser, none for the tokenizer
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        nodes = [literal for node in ast.walk(tree) for name, value in _named(node) for literal in _secret(name, value)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Spans()
    # Columns of a tree count bytes of UTF-8.
    lines = [line.encode("utf-8", "replace") for line in text.split("\n")] if nodes else []
    return Spans(tuple(dict.fromkeys(_span(node, lines) for node in nodes)))


def is_word(text: str) -> bool:
    """Whether a text may be the name of a secret as well as one."""
    return _WORDS.fullmatch(text) is not None


def _span(node: ast.expr, lines: list[bytes]) -> tuple[Place, Place]:
    end_row, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return (
        (node.lineno, len(lines[node.lineno - 1][: node.col_offset].decode("utf-8", "replace"))),
        (end_row, len(lines[end_row - 1][:end].decode("utf-8", "replace"))),
    )


def _named(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a node gives to values."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _assigned(target, node.value)
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
        yield from _assigned(node.target, node.value)
    elif isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        yield from ((key.value, item) for key, item in pairs if _is_text(key))  # type: ignore[union-attr]
    elif isinstance(node, ast.arguments):
        yield from _defaults(node)
    elif isinstance(node, ast.Call):
        yield from ((one.arg, one.value) for one in node.keywords if one.arg is not None)
        yield from _of_option(node)


def _assigned(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)):
        for one, item in zip(target.elts, value.elts, strict=False):
            yield from _assigned(one, item)
    elif isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Attribute):
        yield target.attr, value
    elif isinstance(target, ast.Subscript) and _is_text(target.slice):
        yield target.slice.value, value  # type: ignore[attr-defined]


def _defaults(node: ast.arguments) -> Iterator[tuple[str, ast.expr]]:
    given = [*node.posonlyargs, *node.args]
    yield from ((one.arg, item) for one, item in zip(reversed(given), reversed(node.defaults), strict=False))
    yield from ((one.arg, item) for one, item in zip(node.kwonlyargs, node.kw_defaults, strict=True) if item)


def _of_option(node: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """`add_argument("--password", default="...")`."""
    if _called(node) in _OPTIONS:
        names = [one.value.lstrip("-") for one in node.args if _is_text(one)]  # type: ignore[attr-defined]
        given = [one.value for one in node.keywords if one.arg in ("default", "const")]
        yield from ((name, item) for name in names for item in given)


def _called(node: ast.Call) -> str | None:
    return getattr(node.func, "id", None) or getattr(node.func, "attr", None)


def _is_text(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _secret(name: str, value: ast.expr) -> Iterator[ast.expr]:
    for literal, is_item in _literals(value, is_item=False):
        text = _text_of(literal)
        # Below a name that only tells, an item is one of many words.
        is_other = is_item and (not is_secret_key(name) or is_word(text))
        if not is_other and is_secret_beside(name, text):
            yield literal


def _literals(node: ast.expr, *, is_item: bool) -> Iterator[tuple[ast.expr, bool]]:
    """Yield the literals that an expression may have as its value, and whether they are items of it."""
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    if is_text or (isinstance(node, ast.JoinedStr) and all(isinstance(one, ast.Constant) for one in node.values)):
        yield node, is_item
    for one in _parts(node):
        yield from _literals(one, is_item=is_item or isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict)))


def _parts(node: ast.expr) -> Iterable[ast.expr]:
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return node.elts
    if isinstance(node, (ast.Dict, ast.BoolOp)):
        return node.values
    if isinstance(node, ast.IfExp):
        return node.body, node.orelse
    if isinstance(node, ast.BinOp):
        return node.left, node.right
    if isinstance(node, ast.Call) and _called(node) in _KEEPING:
        return [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
    return ()


def _text_of(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(str(one.value) for one in node.values if isinstance(one, ast.Constant))
    value = node.value if isinstance(node, ast.Constant) else ""
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
