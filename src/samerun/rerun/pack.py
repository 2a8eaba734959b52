"""The verb `pack`: a run as one file that can be given away, checked before and equal each time it is made.

What goes into the file and how it is spelt is record/bundle/'s; here the run is found, found whole, and found closed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samerun.base.text import human_bytes, plural
from samerun.errors import LockedError, UsageError
from samerun.judge.integrity import check_files
from samerun.record.bundle.choice import DEFAULT
from samerun.record.bundle.chosen import Leaving, choose_files
from samerun.record.bundle.leaks import check_leaks
from samerun.record.bundle.members import not_whole
from samerun.record.bundle.packing import Packing, gather, write_bundle
from samerun.record.find import find_run
from samerun.record.project import runs_folder
from samerun.record.reader import RunRecord
from samerun.rerun.datafiles import LIMIT_BYTES, Data, find_data

SUFFIX = ".samerun.zip"
UNCOVERED = "SR-JUDGE-001"
"""A file that is no part of the record: it stays, and is named."""
Say = Callable[[str], None]


@dataclass(frozen=True)
class Packed:
    """What was packed, or would be."""

    run: Path
    file: Path
    size_bytes: int
    sha256: str | None
    """Of the file; None where none was written."""
    num_members: int
    checkpoints: tuple[int, ...]
    without: tuple[int, ...]
    """Steps of checkpoints that were left out; their leaf digests are inside."""
    data: Mapping[str, int]
    """Input of the run -> bytes of its files inside."""
    left_out: tuple[str, ...]
    """Files of the folder that did not leave it, and inputs whose files did not, each with the reason."""

    def as_json(self) -> dict[str, Any]:
        """Give the fields that scripts may rely on."""
        return dict(vars(self))


def pack(
    run: str | Path,
    out: Path | None = None,
    *,
    checkpoints: str = DEFAULT,
    evaluations: bool = True,
    data: bool = False,
    data_limit_bytes: int = LIMIT_BYTES,
    dry_run: bool = False,
    runs: Path | None = None,
    say: Say = lambda text: None,
) -> Packed:
    """Write one file with the record of a run and its chosen checkpoints; equal runs and choices give equal bytes.

    `checkpoints` is `last`, `best` and steps joined by commas, or `all`, or `none`; of the others the leaf digests go
    along, so that `diff` still compares them. `data` adds the files of the run's inputs that still are what it read, up
    to `data_limit_bytes`. The file is `out`, else `<folder>.samerun.zip` here; a dry run writes none. Nothing of this
    machine leaves: no paths, host or user, and no file that a run does not write.

    Raises LockedError (exit 7) for a live run, DamageError (6) for one that is not whole, RefusedError (3) where
    something secret is left in it or `out` is another file already, NoMatchError (5) for no such checkpoint.
    """
    record = find_run(str(run), runs_folder(runs))
    _check_closed(record)
    target = out if out is not None else Path(f"{record.folder.resolve().name}{SUFFIX}")
    _check_target(record, target)
    leaving = choose_files(record, checkpoints, with_evaluations=evaluations)
    say(f"checking {record.name}")
    _check_whole(record, leaving)
    found = find_data(record, data_limit_bytes) if data else Data()
    packing = gather(record, leaving, {one.name: one.files for one in found.found})
    for member in packing.members:
        check_leaks(member)
    digest = None
    if not dry_run:
        say(f"packing {plural(len(packing.members), 'file')}, {human_bytes(packing.size_bytes)}")
        # From here on each file has to be what it was when it was read: a run that goes on meanwhile is noticed.
        digest = write_bundle(packing, target)
    return _packed(record, target, packing, leaving, found, digest)


def _packed(
    record: RunRecord, target: Path, packing: Packing, leaving: Leaving, found: Data, digest: str | None
) -> Packed:
    facts = packing.index.members
    return Packed(
        run=record.folder,
        file=target,
        size_bytes=packing.size_bytes,
        sha256=digest,
        num_members=len(packing.members),
        checkpoints=packing.index.checkpoints,
        without=packing.index.without,
        data={name: sum(facts[one].size for one in listed) for name, listed in packing.index.data.items()},
        left_out=(*leaving.left_out, *found.left_out),
    )


def _check_closed(record: RunRecord) -> None:
    if record.is_live:
        raise LockedError(
            "SR-BUNDLE-003",
            f"{record.name} is live",
            evidence=[f"folder: {record.folder.as_posix()}"],
            do="wait for it to end, or stop it; then pack it",
        )


def _check_target(record: RunRecord, target: Path) -> None:
    is_inside = target.resolve().is_relative_to(record.folder.resolve())
    if is_inside or target.is_dir():
        raise UsageError(
            "SR-BUNDLE-009",
            f"{target.as_posix()} cannot be the bundle",
            evidence=["it lies in the run folder" if is_inside else "it is a folder"],
            do=f"-o FILE, such as ../{record.name}{SUFFIX}",
        )


def _check_whole(record: RunRecord, leaving: Leaving) -> None:
    problems = [
        problem for problem in check_files(record) if problem.code != UNCOVERED or problem.file in leaving.paths
    ]
    if problems:
        raise not_whole(record.name, *(str(problem) for problem in problems[:10]))
