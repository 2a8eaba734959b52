"""The rows of a table as entries of a manifest: the digest of an item is over its cells by name, in no order.

An item is called by a column, or else by its content; the second of two equal rows is then called `...-2`.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from unicodedata import normalize

from samerun.base.canon import canonical_bytes
from samerun.base.digest import sha256
from samerun.base.text import did_you_mean
from samerun.config.problems import printable
from samerun.data.entry import Entry
from samerun.data.rules import CONTENT, cell_text
from samerun.data.table import SUFFIXES, Irregular, Rows, read_csv, read_jsonl, read_parquet
from samerun.errors import MissingError, RefusedError, SamerunError, UsageError

_CALLED: Final = 32
"""Hex digits of a digest that call an item without a name."""


def table_entries(path: Path, rules: Mapping[str, str]) -> list[Entry]:
    """Return an entry for each row, sorted by id. `rules`: columns of id (or `content`), label, group and time.

    Raises MissingError SR-DATA-015, UsageError SR-DATA-020 (a column that is not there), -025 (no regular table),
    RefusedError SR-DATA-021 (two items of one id), MissingError SR-DATA-026 without pyarrow.
    """
    table = read_rows(path)
    if not table.rows:
        return []
    places = {name: _place(column, name, table.names) for name, column in rules.items() if column != CONTENT}
    entries: list[Entry] = []
    for row in table.rows:
        content = _content(table.names, row)
        cells = {name: cell_text(row[place]) for name, place in places.items()}
        digest = sha256(content)
        called = cells.pop("id", None) if "id" in places else digest[7 : 7 + _CALLED]
        entries.append(Entry(normalize("NFC", called or ""), len(content), digest, **cells))
    if "id" in places:
        _refuse_bad_ids(entries, rules["id"], table)
        return sorted(entries, key=lambda entry: entry.id)
    return sorted(_numbered(sorted(entries)), key=lambda entry: entry.id)


def item_texts(path: Path, rules: Mapping[str, str]) -> dict[str, str]:
    """Return the text cells of each item joined, by the id that `table_entries` gives it."""
    table = read_rows(path)
    by_content: dict[str, str] = {}
    for row in table.rows:
        by_content[sha256(_content(table.names, row))] = "\n".join(cell for cell in row if isinstance(cell, str))
    return {entry.id: by_content[entry.sha256] for entry in table_entries(path, rules)}


def read_rows(path: Path) -> Rows:
    """Read a table of any kind. Raises what `table_entries` does."""
    if not path.is_file():
        raise MissingError(
            "SR-DATA-015",
            f"there is no table at {printable(path.as_posix())}",
            evidence=[f"looked for: {printable(path.absolute().as_posix())}"],
            do=f"name a file that ends in {', '.join(SUFFIXES)}",
        )
    readers = {".csv": read_csv, ".jsonl": read_jsonl, ".parquet": read_parquet}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise _irregular(path, f"its name ends in {path.suffix or 'nothing'}", f"name a file: {', '.join(SUFFIXES)}")
    try:
        return reader(path)
    except Irregular as problem:
        raise _irregular(path, problem.found, problem.do) from problem
    except OSError as problem:
        raise _irregular(path, f"it cannot be read: {problem.strerror}", "make it readable") from problem
    except ImportError as problem:
        raise no_pyarrow(problem) from problem


def no_pyarrow(problem: ImportError) -> MissingError:
    """Return the error that says what a Parquet file needs."""
    return MissingError(
        "SR-DATA-026",
        "a Parquet file needs pyarrow",
        evidence=[f"import pyarrow: {problem}"],
        do="pip install 'samerun[table]'",
    )


def _irregular(path: Path, found: str, do: str) -> SamerunError:
    return UsageError(
        "SR-DATA-025", f"{printable(path.name)} is no regular table", evidence=[f"found: {printable(found)}"], do=do
    )


def _place(column: str, option: str, names: Sequence[str]) -> int:
    if column in names:
        return names.index(column)
    raise UsageError(
        "SR-DATA-020",
        f"--{option}: there is no column {column!r}; {did_you_mean(column, names)}",
        evidence=[f"columns: {', '.join(names)}"],
        do=f"--{option} COLUMN, one of the columns above",
    )


def _content(names: Sequence[str], row: Sequence[Any]) -> bytes:
    """Spell a row: its cells by name, without those that are empty."""
    return canonical_bytes({name: _plain(cell) for name, cell in zip(names, row, strict=True) if cell is not None})


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, bytes):
        return f"base64:{base64.b64encode(value).decode()}"
    return str(value)  # dates, times and decimal numbers


def _numbered(entries: Iterable[Entry]) -> Iterator[Entry]:
    seen: Counter[str] = Counter()
    for entry in entries:
        seen[entry.id] += 1
        number = seen[entry.id]
        yield entry if number == 1 else entry._replace(id=f"{entry.id}-{number}")


def _refuse_bad_ids(entries: Sequence[Entry], column: str, table: Rows) -> None:
    times = Counter(entry.id for entry in entries)
    bad = [
        f"row {line}: {entry.id!r}, {times[entry.id]} times" if entry.id else f"row {line}: none"
        for entry, line in zip(entries, table.lines, strict=True)
        if not entry.id or times[entry.id] > 1
    ]
    if bad:
        raise RefusedError(
            "SR-DATA-021",
            f"--id {column}: {len(bad)} of {len(entries)} rows have no id of their own",
            evidence=bad[:5],
            do="give each row its own id, or leave --id out: then its content calls it",
        )
