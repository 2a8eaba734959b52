"""The code of a run in a folder of its own, and whether it may run there. The original project is only read.

A file that the snapshot does not hold as it was is taken from where it was recorded, if it is there byte for byte.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from samerun.base import files
from samerun.base.digest import sha256_file
from samerun.errors import RefusedError
from samerun.record.project import ROOT_MARKS, project_root
from samerun.record.reader import RunRecord
from samerun.record.restore import import_paths, restore_source
from samerun.record.source import place_of
from samerun.rerun.origin import is_of_this_project, recorded_folder
from samerun.rerun.recorded import other_code, user_files, why_lost
from samerun.rerun.reproducing.unmatched import Kind, Unmatched

SHOWN = 5


@dataclass(frozen=True)
class Code:
    """What was put back of a run's code."""

    lost: tuple[Unmatched, ...]
    """Files that are not there byte for byte."""
    import_from: tuple[Path, ...]
    """Folders to import from."""


def check_code_trust(record: RunRecord, *, trust: bool) -> None:
    """Refuse (SR-REPRODUCE-003) code of a snapshot that is not the code of this project, unless it is trusted."""
    root = recorded_folder(record, "root") if is_of_this_project(record) else None
    foreign = other_code(record, root if root is not None else project_root(Path.cwd()))
    if trust or not foreign:
        return
    more = [f"and {len(foreign) - SHOWN} more"] if len(foreign) > SHOWN else []
    raise RefusedError(
        "SR-REPRODUCE-003",
        f"to reproduce {record.name}, code that came with its folder would run",
        evidence=[*(f"not here with these bytes: {label}" for label in sorted(foreign)[:SHOWN]), *more],
        do="read source-files.tar in the run folder, then add --trust",
    )


def restore_code(record: RunRecord, project: Path) -> Code:
    """Put the code of a run into the new folder `project`, byte for byte; say what could not be put there.

    The folder becomes the root of a project of its own, so that nothing around it counts.
    """
    restore_source(record.folder, project)
    if not any((project / mark).exists() for mark in ROOT_MARKS):
        files.write_new(project / ROOT_MARKS[0], b"")
    lost = []
    original = recorded_folder(record, "root")
    for label, file in user_files(record):
        target, digest = project / label, str(file["content"])
        if _has(target, digest):
            continue
        here = None if original is None else place_of(label, original)
        if here is not None and _has(here, digest):
            files.make_dir(target.parent)
            files.replace(target, here.read_bytes())
            continue
        kind: Kind = "secret" if file["num_redacted"] else "source"
        lost.append(Unmatched(kind, label, digest, None, why_lost(file)))
    return Code(tuple(lost), import_paths(project))


def _has(path: Path, digest: str) -> bool:
    return path.is_file() and sha256_file(path) == digest
