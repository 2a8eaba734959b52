"""Reading the source that a run folder holds: source.json, and the stored files, checked against each other.

How it is found is in source.py, how it is written in source_document.py.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from samerun.base.digest import sha256_file
from samerun.base.sealed import read_sealed
from samerun.record import layout
from samerun.record.manifest import check_format, malformed, missing_file
from samerun.record.resolved import checked_bytes
from samerun.record.snapshot import label_fault, read_tar

_FIELDS: Final = {"content": str, "mode": str, "size_bytes": int, "is_stored": bool, "num_redacted": int}
"""What every row has to hold."""
_NAMED_ONLY: Final = "changed/"
"""Rows of files that stand in the patch alone: their names are git's, and become no path."""


def read_source(folder: Path) -> dict[str, Any]:
    """Read source.json, checking its rows, the snapshot and the patch beside it. Raises DamageError naming the file."""
    path = folder / layout.SOURCE
    try:
        document = read_sealed(path)
    except FileNotFoundError:
        raise missing_file(path) from None
    check_format(document, "samerun.source", str(path))
    for name, key in ((layout.SOURCE_FILES, "snapshot"), (layout.SOURCE_PATCH, "patch")):
        facts = document.get(key)
        if not isinstance(facts, dict) or not isinstance(document.get("files"), dict):
            raise malformed(str(path), f"{key} is {facts!r:.200}")
        _check(folder / name, facts.get("digest"), document.get("superseded", {}).get(key))
    for name, row in document["files"].items():
        if (fault := _row_fault(name, row)) is not None:
            raise malformed(str(path), f"{name[:200]!r}: {fault}")
    return document


def _row_fault(name: str, row: Any) -> str | None:
    """Say why a row cannot be; None where it can. What is checked here may be a path, and be read, everywhere else."""
    if not name.startswith(_NAMED_ONLY) and (fault := label_fault(name)) is not None:
        return fault
    if not isinstance(row, Mapping):
        return "it is no table"
    wrong = [field for field, kind in _FIELDS.items() if not isinstance(row.get(field), kind)]
    return f"it has no {wrong[0]} of the right kind" if wrong else None


def _check(path: Path, digest: str | None, superseded: str | None) -> None:
    """Check a file against its digest, or that of the file it was about to replace when the process was killed."""
    if superseded is None or not path.is_file() or sha256_file(path) != superseded:
        checked_bytes(path, digest)


def read_snapshot(folder: Path) -> dict[str, bytes]:
    """Read the stored source by `stored_name`, checked against source.json. Raises DamageError."""
    read_source(folder)
    return read_tar((folder / layout.SOURCE_FILES).read_bytes(), layout.SOURCE_FILES)
