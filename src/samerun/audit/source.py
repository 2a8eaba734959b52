"""One file read as Python: its text, its tree, and where a node stands. What cannot be read says why; nothing is run.

A file may be damaged, foreign or hostile: not UTF-8, of another Python, nested without end. Notebooks: notebook.py.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LARGEST_BYTES: Final = 4 * 1024 * 1024
"""Beyond this a file is generated, and reading it would take minutes."""
LINE_END: Final = re.compile(r"\r\n|\r|\n")


class Unreadable(Exception):
    """Why a file is not Python that can be read; `line` counts from 1."""

    def __init__(self, reason: str, line: int = 1) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


@dataclass(frozen=True)
class Source:
    """A text and its tree."""

    text: str
    tree: ast.Module
    lines: tuple[str, ...]

    def place(self, node: ast.AST) -> tuple[int, int]:
        """Return line and column of a node, both from 1; the column counts characters, not bytes."""
        line, offset = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        return line, len(text.encode("utf-8", "replace")[:offset].decode("utf-8", "replace")) + 1


def read_bytes(path: Path) -> bytes:
    """Return what a file holds. Raises Unreadable where the system refuses or the file is too large."""
    try:
        size = path.stat().st_size
        if size > LARGEST_BYTES:
            raise Unreadable(f"it is larger than {LARGEST_BYTES // 1024**2} MiB ({size} bytes)")
        return path.read_bytes()
    except OSError as error:
        raise Unreadable(f"it cannot be read: {error.strerror or error}") from error


def decoded(data: bytes) -> str:
    """Return the text of a Python file: UTF-8 with or without a mark, or what its first lines declare (PEP 263)."""
    if b"\0" in data:
        raise Unreadable("it holds null bytes")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding)
    except (SyntaxError, LookupError) as error:
        raise Unreadable(f"its encoding is unknown: {error}") from error
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise Unreadable(f"it is not {error.encoding} text: {error.reason}", line) from error


def parsed(text: str) -> Source:
    """Return a text with its tree. Raises Unreadable where it is no Python of this version."""
    with warnings.catch_warnings():
        # Invalid escapes and the like: the audit is no linter, and says nothing on standard error.
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(text)
        except SyntaxError as error:
            raise Unreadable(f"it is not Python that this version reads: {error.msg}", error.lineno or 1) from error
        except (ValueError, RecursionError, MemoryError) as error:
            raise Unreadable(f"it cannot be parsed: {error or 'it nests too deeply'}") from error
    return Source(text, tree, tuple(LINE_END.split(text)))
