"""The source snapshot of a run put back into a folder, file by file, as source-files.tar holds it.

What the snapshot does not hold as it was is named, never made up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from samerun.base import files
from samerun.base.digest import sha256
from samerun.base.text import plural
from samerun.record.source_read import read_snapshot, read_source

_USER: Final = "user/"


@dataclass(frozen=True)
class Restored:
    """What was put back, by paths relative to the folder."""

    files: tuple[str, ...]
    """Those that hold the very bytes of the run, sorted."""
    altered: Mapping[str, str]
    """Those that hold other bytes, and why: a secret was left out."""
    missing: Mapping[str, str]
    """Those that were not written, and why."""


def restore_source(folder: Path, target: Path) -> Restored:
    """Write the user's files of the snapshot of the run in `folder` below `target`, which is made if need be.

    Raises DamageError for a snapshot that is not what was written, FileExistsError for a file that is there already.
    """
    stored = read_snapshot(folder)
    rows = {name.removeprefix(_USER): row for name, row in read_source(folder)["files"].items() if _is_users(name)}
    kept = {label: stored[_USER + label] for label in sorted(rows) if _USER + label in stored}
    files.make_dir(target)
    for label, data in kept.items():
        files.make_dir((target / label).parent)
        files.write_new(target / label, data)
    whole = [label for label, data in kept.items() if sha256(data) == rows[label]["content"]]
    return Restored(
        tuple(whole),
        {label: _why(rows[label]) for label in kept if label not in whole},
        {label: _why(row) for label, row in sorted(rows.items()) if label not in kept},
    )


def _is_users(name: str) -> bool:
    return name.startswith(_USER)


def _why(row: Mapping[str, Any]) -> str:
    if row["num_redacted"]:
        return f"stored without {plural(row['num_redacted'], 'secret')} that stood in it"
    return "stored with other bytes" if row["is_stored"] else "not stored"
