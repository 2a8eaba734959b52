"""Read a CSV or Parquet file as named columns of text or numbers, each value with the line it came from.

A file that is no table is refused here; what columns mean is table.py's work.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samerun.errors import ConfigError, MissingError

Value = str | float | None
"""Text, a number (NaN and infinities included), or nothing."""


@dataclass(frozen=True)
class Columns:
    """Named columns of equal length, in the file's order."""

    names: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]
    first_line: int
    """What to add to a row's position to say where it stands: 2 for a CSV file with a header, 1 for rows."""

    @property
    def num_rows(self) -> int:
        """Number of rows."""
        return len(self.values[0]) if self.values else 0

    def column(self, name: str) -> tuple[Value, ...]:
        """Return one column; the name must be known."""
        return self.values[self.names.index(name)]


def read_columns(path: Path, name: str) -> Columns:
    """Read a `.csv` or `.parquet` file; `name` is what errors call it.

    Raises ConfigError SR-TASK-003 (not such a file), -004 (empty), -005 (not a regular table), MissingError
    SR-TASK-002 without pyarrow.
    """
    readers = {".csv": _read_csv, ".parquet": _read_parquet}
    reader = readers.get(path.suffix.lower())
    if reader is None or not path.is_file():
        raise ConfigError(
            "SR-TASK-003",
            f"task.path: {name} is neither a CSV nor a Parquet file",
            evidence=[f"found: {'a folder' if path.is_dir() else path.suffix or 'no suffix'}"],
            do="name a file that ends in .csv or .parquet",
        )
    columns = reader(path, name)
    if columns.num_rows == 0:
        raise empty(name, "no row of data")
    return columns


def empty(name: str, found: str) -> ConfigError:
    """Return the error that says that a file holds nothing to train on."""
    return ConfigError(
        "SR-TASK-004", f"task.path: {name} is empty", evidence=[f"found: {found}"], do="name a file that holds data"
    )


def number_of(text: str) -> float | None:
    """Return the number that a cell writes, None where it writes none. `1_000` and `0x10` are text."""
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def is_missing(value: Value) -> bool:
    """Whether a cell holds nothing to compute with: empty, NaN or infinite."""
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def _read_csv(path: Path, name: str) -> Columns:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise _irregular(name, f"byte {error.start} is not UTF-8", "save the file as UTF-8") from error
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        for row in reader:
            if row:
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise _irregular(name, f"line {reader.line_num}: {error}", "correct the quotes of that line") from error
    if not rows:
        raise empty(name, f"{len(text)} characters, no line with a cell")
    header = rows[0]
    _check_header(name, header)
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(header):
            found = f"line {line}: {len(row)} cells, {len(header)} in the header"
            raise _irregular(name, found, "give every line as many cells as the header")
    columns = list(zip(*rows[1:], strict=True)) or [()] * len(header)
    return Columns(tuple(header), tuple(_typed(column) for column in columns), first_line=2)


def _typed(cells: Sequence[str]) -> tuple[Value, ...]:
    """Take a column for numbers when every cell that is not empty writes one, else for text."""
    stripped = [cell.strip() for cell in cells]
    numbers = [number_of(cell) for cell in stripped]
    if all(number is not None or not cell for cell, number in zip(stripped, numbers, strict=True)):
        return tuple(numbers)
    return tuple(cell or None for cell in stripped)


def _read_parquet(path: Path, name: str) -> Columns:
    try:
        from pyarrow import ArrowException, parquet
    except ImportError as error:
        raise MissingError(
            "SR-TASK-002",
            "task.path: a Parquet file needs pyarrow",
            evidence=[f"import pyarrow: {error}"],
            do="pip install 'samerun[table]'",
        ) from error
    try:
        table = parquet.read_table(path)
    except (ArrowException, OSError) as error:
        raise _irregular(name, str(error).splitlines()[0], "write the file again") from error
    _check_header(name, table.column_names)
    columns = [_plain(name, key, table[key].to_pylist()) for key in table.column_names]
    return Columns(tuple(table.column_names), tuple(columns), first_line=1)


def _plain(name: str, key: str, values: Sequence[Any]) -> tuple[Value, ...]:
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {bool, int, float}:
        return tuple(None if value is None else float(value) for value in values)
    if kinds <= {str}:
        return tuple(values)
    found = f"column '{key}' holds {', '.join(sorted(kind.__name__ for kind in kinds))}"
    raise _irregular(name, found, f"make it numbers or text, or leave it out: -s task.drop=[{key}]")


def _check_header(name: str, header: Sequence[str]) -> None:
    twice = sorted({column for column in header if header.count(column) > 1})
    if twice:
        raise _irregular(name, f"columns named twice: {', '.join(twice)}", "give each column its own name")


def _irregular(name: str, found: str, do: str) -> ConfigError:
    return ConfigError("SR-TASK-005", f"task.path: {name} is no regular table", evidence=[f"found: {found}"], do=do)
