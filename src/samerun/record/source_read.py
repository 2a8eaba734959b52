"""Reading the source that a run folder holds: source.json, and the stored files, checked against each other.

How it was found and written is in source.py.
"""

from pathlib import Path
from typing import Any

from samerun.base.sealed import read_sealed
from samerun.record import layout
from samerun.record.manifest import check_format, malformed, missing_file
from samerun.record.resolved import checked_bytes
from samerun.record.snapshot import read_tar


def read_source(folder: Path) -> dict[str, Any]:
    """Read source.json, checking the snapshot and the patch beside it. Raises DamageError naming the file."""
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
        checked_bytes(folder / name, facts.get("digest"))
    return document


def read_snapshot(folder: Path) -> dict[str, bytes]:
    """Read the stored source by `stored_name`, checked against source.json. Raises DamageError."""
    document = read_source(folder)
    data = checked_bytes(folder / layout.SOURCE_FILES, document["snapshot"]["digest"])
    return read_tar(data, layout.SOURCE_FILES)
