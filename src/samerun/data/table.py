"""Rows of a CSV, JSON-lines or Parquet file as they stand there: text cells, or the values of JSON and Parquet.

What a file is not is said in one line and a remedy (Irregular); what columns mean is the reader's own matter.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final


class Irregular(Exception):
    """A file is no regular table: what was found, and what to do about it."""

    def __init__(self, found: str, do: str) -> None:
        super().__init__(found)
        self.found = found
        self.do = do


SUFFIXES: Final = (".csv", ".jsonl", ".parquet")


@dataclass(frozen=True)
class Rows:
    """The rows of a table, and the line (or number) at which each stands."""

    names: tuple[str, ...]
    rows: Sequence[Sequence[Any]]
    """Cells in the order of `names`."""
    lines: Sequence[int]


def read_csv(path: Path) -> Rows:
    """Read a CSV file with a header; cells are text. Raises Irregular."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise Irregular(f"byte {error.start} is not UTF-8", "save the file as UTF-8") from error
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        for row in reader:
            if row:
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise Irregular(f"line {reader.line_num}: {error}", "correct the quotes of that line") from error
    if not rows:
        return Rows((), (), ())
    header = rows[0]
    check_header(header)
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(header):
            found = f"line {line}: {len(row)} cells, {len(header)} in the header"
            raise Irregular(found, "give every line as many cells as the header")
    return Rows(tuple(header), rows[1:], lines[1:])


def check_header(header: Sequence[str]) -> None:
    """Refuse (Irregular) columns of one name."""
    twice = sorted({column for column in header if header.count(column) > 1})
    if twice:
        raise Irregular(f"columns named twice: {', '.join(twice)}", "give each column its own name")


def read_jsonl(path: Path) -> Rows:
    """Read one JSON object a line; a key that a line lacks is None there. Raises Irregular."""
    objects: list[dict[str, Any]] = []
    lines: list[int] = []
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                found = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise Irregular(f"line {number}: {error}", "write one JSON object a line") from error
            if not isinstance(found, dict):
                raise Irregular(f"line {number}: no object", "write one JSON object a line")
            objects.append(found)
            lines.append(number)
    names = tuple(sorted({name for one in objects for name in one}))
    return Rows(names, [[one.get(name) for name in names] for one in objects], lines)


def read_parquet(path: Path) -> Rows:
    """Read a Parquet file. Raises Irregular, ImportError without pyarrow."""
    from pyarrow import ArrowException, parquet

    try:
        table = parquet.read_table(path)
    except (ArrowException, OSError) as error:
        raise Irregular(str(error).splitlines()[0], "write the file again") from error
    check_header(table.column_names)
    columns = [table[name].to_pylist() for name in table.column_names]
    return Rows(tuple(table.column_names), list(zip(*columns, strict=True)), range(1, table.num_rows + 1))
