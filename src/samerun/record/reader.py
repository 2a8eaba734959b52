"""A run folder, read-only: documents, logs, checkpoints. Needs no torch, tolerates a run that is still being written.

Whatever is damaged raises DamageError when it is read; nothing is accepted because a check is missing. Finding runs by
name is in find.py, checking every file of a folder in judge/integrity.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from samerun.base.sealed import read_sealed
from samerun.errors import DamageError, NoMatchError
from samerun.record import layout
from samerun.record.data import DataRecord, read_data
from samerun.record.identity import Identity, read_identity
from samerun.record.manifest import SETTLED, Manifest, Status, missing_file, read_manifest
from samerun.record.marks import Marks, read_marks
from samerun.record.resolved import ResolvedConfig, read_config
from samerun.record.rowchain import LogMark, start_mark, walk_rows


class RunRecord:
    """One run folder. Documents are read when they are first asked for, and once; logs anew each time."""

    def __init__(self, folder: Path) -> None:
        """Use `RunRecord.open`, which checks that the folder is a run."""
        self.folder = folder

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a run folder and read its manifest.

        Raises NoMatchError SR-RECORD-030 for a folder that is no run, DamageError for a damaged or half-deleted one.
        """
        record = cls(Path(path))
        if not is_run_folder(record.folder):
            raise NoMatchError(
                "SR-RECORD-030",
                f"{record.folder} is not a run folder",
                evidence=[f"wanted: {layout.MANIFEST} in it"],
                do="samerun ls",
            )
        assert record.manifest
        return record

    @cached_property
    def manifest(self) -> Manifest:
        """What happened, as of the first time it is asked for."""
        return read_manifest(self.folder)

    @property
    def name(self) -> str:
        """Name of the folder, which names the run (its label is `manifest.name`)."""
        return self.folder.name

    @property
    def is_live(self) -> bool:
        """Whether a process holds the run at this moment."""
        # A released lock takes its owner file away: without one there is nothing to probe.
        if not (self.folder / layout.LOCK_OWNER).exists():
            return False
        # Here, since hardly any run is live: `ls` need not load what locks.
        from samerun.base.lock import is_locked_shared

        try:
            return is_locked_shared(self.folder / layout.LOCK)
        except FileNotFoundError:
            return False

    @property
    def status(self) -> Status:
        """Status of the manifest; `interrupted` for a run whose process died without a word."""
        status = self.manifest.status
        is_open = status in (Status.RUNNING, Status.READY)
        return Status.INTERRUPTED if is_open and not self.is_live else status

    @cached_property
    def identity(self) -> Identity:
        """The facts of both groups."""
        return read_identity(self.folder)

    @cached_property
    def config(self) -> ResolvedConfig:
        """The resolved values with their origins."""
        return read_config(self.folder)

    @property
    def marks(self) -> Marks:
        """Notes, tags and pins as they are now."""
        return read_marks(self.folder)

    def document(self, name: str) -> dict[str, Any]:
        """Read another sealed document by its file name (layout.ENVIRONMENT, SOURCE, DATA, DRIFT, VERIFICATION).

        Raises DamageError SR-RECORD-022 where it is absent.
        """
        try:
            return read_sealed(self.folder / name)
        except FileNotFoundError:
            raise missing_file(self.folder / name) from None

    def data(self) -> DataRecord:
        """Read what the run noted of its inputs. Raises DamageError as `read_data` does."""
        return read_data(self.folder)

    def has(self, name: str) -> bool:
        """Whether the folder holds a file of this name."""
        return (self.folder / name).is_file()

    def metrics(self) -> Iterator[dict[str, Any]]:
        """Yield the metrics rows in order, verified."""
        return (json.loads(body) for body in self.bodies(layout.METRICS))

    def trail(self) -> Iterator[dict[str, Any]]:
        """Yield the trail rows in order, verified."""
        return (json.loads(body) for body in self.bodies(layout.TRAIL))

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield the events in order, verified."""
        return (json.loads(body) for body in self.bodies(layout.EVENTS))

    def bodies(self, name: str) -> Iterator[bytes]:
        """Yield the JSON bytes of each row of a log, without its sum, verified up to where the manifest says it ends.

        A log of a closed run that is shorter, longer or another than the manifest says is damage, found at the end.
        """
        stored = None if self.is_live else read_manifest(self.folder).logs.get(name)
        is_reached = stored is None
        end = start_mark(name)
        for end, body in walk_rows(self.folder, name):
            is_reached = is_reached or end == stored
            yield body
        if stored is not None:
            self._check_end(name, stored, end, is_reached=is_reached)

    def _check_end(self, name: str, stored: LogMark, end: LogMark, *, is_reached: bool) -> None:
        path = self.folder / layout.log_part_name(name, stored.part)
        if not path.is_file():
            raise missing_file(path)
        if not is_reached:
            # Walks again, to say how it falls short.
            for _ in walk_rows(self.folder, name, until=stored):
                pass
        is_longer = end.rows > stored.rows or path.stat().st_size > stored.bytes
        # A process that never came to train may have added events to a closed run.
        if is_longer and name != layout.EVENTS and self.manifest.status in SETTLED:
            raise DamageError(
                "SR-RECORD-015",
                f"{path.name}: the log goes on after the run was closed",
                evidence=[f"file: {path}", f"stored: {stored.rows} rows", f"found: {end.rows} rows"],
                do="samerun verify RUN --files",
            )


def is_run_folder(folder: Path) -> bool:
    """Say whether a folder is a run, or what is left of one: it holds a manifest, or rows without a manifest.

    The manifest is the last document of an opening and rows come after it: a folder with neither has not begun.
    """
    return (folder / layout.MANIFEST).is_file() or (folder / layout.log_part_name(layout.METRICS, 0)).is_file()
