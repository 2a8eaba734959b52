"""Read a CSV or Parquet file as named columns of text or numbers, each value with the line it came from.

A file that is no table is refused here; what columns mean is table.py's work.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samerun.data.table import Irregular, Rows, read_csv, read_parquet
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
    table = _rows(read_csv, path, name)
    if not table.names:
        raise empty(name, "no line with a cell")
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.names)
    return Columns(table.names, tuple(_typed(column) for column in columns), first_line=2)


def _rows(reader: Callable[[Path], Rows], path: Path, name: str) -> Rows:
    try:
        return reader(path)
    except Irregular as problem:
        raise _irregular(name, problem.found, problem.do) from problem


def _typed(cells: Sequence[str]) -> tuple[Value, ...]:
    """Take a column for numbers when every cell that is not empty writes one, else for text."""
    stripped = [cell.strip() for cell in cells]
    numbers = [number_of(cell) for cell in stripped]
    if all(number is not None or not cell for cell, number in zip(stripped, numbers, strict=True)):
        return tuple(numbers)
    return tuple(cell or None for cell in stripped)


def _read_parquet(path: Path, name: str) -> Columns:
    try:
        table = _rows(read_parquet, path, name)
    except ImportError as error:
        raise MissingError(
            "SR-TASK-002",
            "task.path: a Parquet file needs pyarrow",
            evidence=[f"import pyarrow: {error}"],
            do="pip install 'samerun[table]'",
        ) from error
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.names)
    plain = [_plain(name, key, values) for key, values in zip(table.names, columns, strict=True)]
    return Columns(table.names, tuple(plain), first_line=1)


def _plain(name: str, key: str, values: Sequence[Any]) -> tuple[Value, ...]:
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {bool, int, float}:
        return tuple(None if value is None else float(value) for value in values)
    if kinds <= {str}:
        return tuple(values)
    found = f"column '{key}' holds {', '.join(sorted(kind.__name__ for kind in kinds))}"
    raise _irregular(name, found, f"make it numbers or text, or leave it out: -s task.drop=[{key}]")


def _irregular(name: str, found: str, do: str) -> ConfigError:
    return ConfigError("SR-TASK-005", f"task.path: {name} is no regular table", evidence=[f"found: {found}"], do=do)
