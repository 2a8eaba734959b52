"""The text of a source file without the secrets that were written into it, wherever it goes: snapshot, patch, bundle.

Python is judged literal by literal, so that a clean file still parses; any other text as record/wording.py says. What a
secret looks like is decided in base/redact.py.
"""

from __future__ import annotations

import io
import tokenize
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from samerun.base.redact import REDACTED
from samerun.base.secret_text import secret_spans
from samerun.record.literals import Found, literal_spans
from samerun.record.wording import word_spans

_PYTHON: Final = (".py", ".pyi", ".pyw")
_BOM: Final = "\ufeff"
_COMMANDS: Final = ("%", "!")


def clean_source(label: str, data: bytes) -> tuple[bytes, int]:
    """Return the bytes of a file with each secret replaced by "[redacted]", and how many were replaced.

    label: name of the file, whose ending says what it is. Bytes that are no UTF-8 are searched as Latin-1.
    """
    text, encoding = _decoded(data)
    spans = _spans(label, text)
    pieces, at = [], 0
    for start, end, mark in spans:
        pieces += [text[at:start], mark]
        at = end
    return ("".join([*pieces, text[at:]]).encode(encoding) if spans else data), len(spans)


def secret_lines(label: str, data: bytes) -> frozenset[int]:
    """Return the numbers of the lines, from 1, on which a secret of a file stands."""
    text, _ = _decoded(data)
    found: set[int] = set()
    line, at = 1, 0
    for start, end, _ in _spans(label, text):
        line += text.count("\n", at, start)
        last = line + text.count("\n", start, end)
        found.update(range(line, last + 1))
        line, at = last, end
    return frozenset(found)


def _decoded(data: bytes) -> tuple[str, str]:
    """Return the text of a file and an encoding that gives its very bytes back, whatever they are."""
    for encoding in ("utf-8", *_wide(data)):
        try:
            return data.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1"), "latin-1"


def _wide(data: bytes) -> Iterator[str]:
    """Name the encodings of two bytes a letter that a file may have, by its first bytes."""
    if data[:2] in (BOM_UTF16_LE, BOM_UTF16_BE):
        yield "utf-16-le" if data.startswith(BOM_UTF16_LE) else "utf-16-be"


def _spans(label: str, text: str) -> list[Found]:
    if not _is_python(label, text):
        return [(start, end, REDACTED) for start, end in word_spans(label, text)]
    shift = len(_BOM) if text.startswith(_BOM) else 0
    source = text[shift:]
    found = _in_whole(source)
    if found is None:
        # An apostrophe in a command of a notebook's cell begins no literal.
        found = _in_whole("".join(_without_commands(source)))
    if found is None:
        found = _in_pieces(source)
    return [(start + shift, end + shift, mark) for start, end, mark in _apart([*found, *_in_commands(source)])]


def _is_python(label: str, text: str) -> bool:
    path = PurePosixPath(label)
    return path.suffix in _PYTHON or (not path.suffix and text.startswith("#!") and "python" in text[:100])


def _in_whole(text: str) -> list[Found] | None:
    try:
        return literal_spans(text)
    except (tokenize.TokenError, SyntaxError, ValueError):
        return None


def _without_commands(text: str) -> Iterator[str]:
    for line in io.StringIO(text):
        is_command = line.lstrip()[:1] in _COMMANDS
        yield " " * (len(line) - 1) + "\n" if is_command and line.endswith("\n") else "" if is_command else line


def _in_pieces(text: str) -> list[Found]:
    """Judge what does not parse line by line, and as a text."""
    found = [(start, end, REDACTED) for start, end in word_spans("x.py", text)]
    for at, line in _lines(text):
        found += [(at + start, at + end, mark) for start, end, mark in _in_whole(line) or ()]
    return found


def _in_commands(text: str) -> Iterator[Found]:
    """Find secrets in the lines of a notebook's cell that are no Python: `%env NAME=...`, `!curl -u ...`."""
    for at, line in _lines(text):
        if line[:1] in _COMMANDS:
            yield from ((at + start, at + end, REDACTED) for start, end in secret_spans(line))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield each line without what it is indented by, and where it begins."""
    at = 0
    for line in io.StringIO(text):
        bare = line.lstrip()
        yield at + len(line) - len(bare), bare
        at += len(line)


def _apart(found: list[Found]) -> list[Found]:
    """Give them in order; where two overlap, one for both."""
    apart: list[Found] = []
    for start, end, mark in sorted(found, key=lambda one: (one[0], -one[1])):
        if apart and start < apart[-1][1]:
            before = apart.pop()
            start, end, mark = before[0], max(end, before[1]), before[2]
        apart.append((start, end, mark))
    return apart
