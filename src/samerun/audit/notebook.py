"""A notebook as one Python text: the code cells in order, with what only IPython reads replaced by `pass`.

A cell that is no Python is left out and named; the others are still read. nbformat 3 and 4; nothing is run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from samerun.audit.source import Unreadable, parsed

FOREIGN: Final = re.compile(
    r"%%(bash|sh|script|html|javascript|js|latex|markdown|svg|perl|ruby|writefile|file|cython|R|sql|system|!)\b|%%!"
)
MAGIC: Final = re.compile(r"^(\s*)([%!?].*|[\w.]+\?\??\s*|,.*|;.*)$")
ASSIGNED: Final = re.compile(r"^(\s*[\w., ]+?=\s*)[%!].*$")


@dataclass(frozen=True)
class Place:
    """Where a line of the whole text stands: the code cell, from 1, and the line in it, from 1."""

    cell: int
    line: int


@dataclass(frozen=True)
class Notebook:
    """The text of all cells that are Python, a place for each of its lines, and the cells that are not."""

    text: str
    places: tuple[Place, ...]
    unread: tuple[tuple[Place, str], ...]


def notebook(data: bytes) -> Notebook:
    """Read a notebook file. Raises Unreadable where it is no notebook, or one in another language."""
    document = _document(data)
    language = _language(document)
    if language not in ("python", "ipython", ""):
        raise Unreadable(f"it is a notebook in another language: {language}")
    texts: list[str] = []
    places: list[Place] = []
    unread: list[tuple[Place, str]] = []
    for number, cell in enumerate(_code_cells(document), 1):
        lines = python_lines(cell)
        try:
            parsed("\n".join(lines))
        except Unreadable as error:
            unread.append((Place(number, error.line), error.reason))
            lines = [""] * len(lines)
        texts += lines
        places += [Place(number, line) for line in range(1, len(lines) + 1)]
    return Notebook("\n".join(texts), tuple(places), tuple(unread))


def _document(data: bytes) -> dict[str, Any]:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"it is no JSON, so no notebook: {error}") from error
    if not isinstance(document, dict) or not ("cells" in document or "worksheets" in document):
        raise Unreadable("it holds no cells, so it is no notebook")
    return document


def _language(document: dict[str, Any]) -> str:
    metadata = document.get("metadata")
    for table, key in (("language_info", "name"), ("kernelspec", "language")):
        inner = metadata.get(table) if isinstance(metadata, dict) else None
        named = inner.get(key) if isinstance(inner, dict) else None
        if isinstance(named, str):
            return named.lower()
    return ""


def _code_cells(document: dict[str, Any]) -> Iterator[str]:
    sheets = document.get("worksheets")
    holders = [document, *(sheets if isinstance(sheets, list) else [])]
    for holder in holders:
        cells = holder.get("cells") if isinstance(holder, dict) else None
        for cell in cells if isinstance(cells, list) else []:
            if isinstance(cell, dict) and cell.get("cell_type") == "code":
                source = cell.get("source", cell.get("input", ""))
                yield "".join(map(str, source)) if isinstance(source, list) else str(source)


def python_lines(cell: str) -> list[str]:
    """Return the lines of a cell with magics, shell lines and questions replaced; the number of lines stays."""
    lines = re.split(r"\r\n|\r|\n", cell.replace("\0", ""))
    first = next((line for line in lines if line.strip()), "")
    if FOREIGN.match(first.strip()):
        return [""] * len(lines)
    try:
        parsed("\n".join(lines))
    except Unreadable:
        return [_without_magic(line) for line in lines]
    return lines


def _without_magic(line: str) -> str:
    if line.lstrip().startswith("%%"):
        return ""
    assigned = ASSIGNED.match(line)
    if assigned:
        return f"{assigned.group(1)}None"
    magic = MAGIC.match(line)
    return f"{magic.group(1)}pass" if magic else line
