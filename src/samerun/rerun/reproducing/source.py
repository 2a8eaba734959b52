"""The code of a run in a folder of its own, and whether it may run there. The original project is only read.

A file that the snapshot does not hold as it was is taken from where it was recorded, if it is there byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from samerun.base import files
from samerun.base.digest import sha256, sha256_file
from samerun.errors import RefusedError
from samerun.record.project import ROOT_MARKS, project_root
from samerun.record.reader import RunRecord
from samerun.record.restore import import_paths, project_rows, repository_steps, restore_source
from samerun.record.source import place_of
from samerun.record.source_read import read_snapshot, read_source
from samerun.record.stored import why_not_whole
from samerun.rerun.origin import (
    USER_PLACE,
    in_a_run,
    is_from_elsewhere,
    is_of_this_project,
    named_code,
    recorded_folder,
)
from samerun.rerun.recorded import user_files
from samerun.rerun.reproducing.unmatched import Unmatched

SHOWN: Final = 5
LARGEST_COPY: Final = 64 * 1024 * 1024
"""Bytes of a file that is taken from the original project; a larger one is data, and stays where it is."""


@dataclass(frozen=True)
class RestoredCode:
    """What could not be put back as it was: code, without which nothing is run, and files that may not be needed."""

    lost: tuple[Unmatched, ...]
    beside: tuple[Unmatched, ...]
    import_from: tuple[Path, ...]
    """Folders to import from."""


def check_code_trust(record: RunRecord, *, trust: bool) -> None:
    """Refuse (SR-REPRODUCE-003) code that is not the code of this project, unless it is trusted.

    Everything that would be written counts: it all lies where code is imported from. Of a run from elsewhere all code
    that it names counts, whatever lies here under the same names.
    """
    if trust:
        return
    if is_from_elsewhere(record):
        foreign, what = named_code(record), "came from elsewhere"
    else:
        root = recorded_folder(record, "root") if is_of_this_project(record) else None
        foreign, what = _not_here(record, root or project_root(Path.cwd())), "not here with these bytes"
    if not foreign:
        return
    more = [f"and {len(foreign) - SHOWN} more"] if len(foreign) > SHOWN else []
    raise RefusedError(
        "SR-REPRODUCE-003",
        f"to reproduce {record.name}, code that came with its folder would run",
        evidence=[*(f"{what}: {label}" for label in sorted(foreign)[:SHOWN]), *more],
        do="read source-files.tar in the run folder, then add --trust",
    )


def _not_here(record: RunRecord, root: Path) -> list[str]:
    """List the files that would be written and are not in the project at `root` with the same bytes."""
    rows = {_label(name): row for name, row in project_rows(read_source(record.folder)).items()}
    return [label for label, row in rows.items() if not _is_own(place_of(label, root), root, str(row["content"]))]


def _is_own(path: Path | None, root: Path, digest: str) -> bool:
    return path is not None and not in_a_run(path, root) and _has(path, digest)


def restore_code(record: RunRecord, project: Path) -> RestoredCode:
    """Put the source of a run into the new folder `project`, byte for byte, as far as it can be had.

    The folder becomes the root of a project of its own, so that nothing around it counts.
    """
    restored = restore_source(record.folder, project)
    if not any((project / mark).exists() for mark in ROOT_MARKS):
        files.write_new(project / ROOT_MARKS[0], b"")
    code = dict(user_files(record))
    rows = {_label(name): row for name, row in project_rows(read_source(record.folder)).items()}
    original = recorded_folder(record, "root")
    gone = [
        _unmatched(label, rows[label], why)
        for label, why in sorted({**restored.altered, **restored.missing}.items())
        if original is None or not _taken_from(original, label, rows[label], project / label)
    ]
    return RestoredCode(
        tuple(one for one in gone if one.name in code),
        tuple(one for one in gone if one.name not in code),
        import_paths(project),
    )


def repository_of(record: RunRecord) -> tuple[str, ...]:
    """Give the commands that bring back the repository around the source of a run; none where no commit is known."""
    return tuple(repository_steps(read_source(record.folder)))


def lost_code(record: RunRecord) -> tuple[Unmatched, ...]:
    """List the code that `restore_code` would not get back as it was, without writing anything."""
    stored, original = read_snapshot(record.folder), recorded_folder(record, "root")
    gone = [
        (label, row)
        for label, row in user_files(record)
        if sha256(stored.get(USER_PLACE + label, b"")) != row["content"]
        and (original is None or _original(original, label, row) is None)
    ]
    return tuple(_unmatched(label, row, why_not_whole(row)) for label, row in gone)


def _unmatched(label: str, row: Mapping[str, Any], why: str) -> Unmatched:
    return Unmatched("secret" if row["num_redacted"] else "source", label, str(row["content"]), None, why)


def _label(name: str) -> str:
    return name.partition("/")[2]


def _taken_from(original: Path, label: str, row: Mapping[str, Any], target: Path) -> bool:
    """Copy a file from where it was recorded, where it still has its bytes; a large one is left where it is."""
    here = _original(original, label, row)
    if here is None:
        return False
    files.make_dir(target.parent)
    files.replace(target, here.read_bytes())
    return True


def _original(original: Path, label: str, row: Mapping[str, Any]) -> Path | None:
    here = place_of(label, original)
    is_there = here is not None and here.stat().st_size <= LARGEST_COPY and _has(here, str(row["content"]))
    return here if is_there else None


def _has(path: Path | None, digest: str) -> bool:
    return path is not None and path.is_file() and sha256_file(path) == digest
