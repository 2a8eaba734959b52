"""The run folder of a live run: its lock, identity and manifest, held by one process from lock to release.

The logs in it are logs.py, its checkpoints saving.py; which folder it is was decided by open.py.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from samerun.base import clock
from samerun.base.lock import RunLock
from samerun.record import layout
from samerun.record.data import DataRecord as DataRecord
from samerun.record.data import read_data, write_data
from samerun.record.identity import Identity, Moved, write_identity
from samerun.record.manifest import Manifest, Status, shown_reason, write_manifest
from samerun.record.source import USER, Source
from samerun.record.source_document import add_source
from samerun.run.drift import around_text
from samerun.run.evaluations import write_evaluation
from samerun.run.growth import late_labels, not_read, refuse_moved_inputs, with_inputs, with_late_imports
from samerun.run.logs import Logs


class Session:
    """One process writing one run folder. `is_resumed` says whether an earlier process left a checkpoint."""

    def __init__(
        self,
        folder: Path,
        identity: Identity,
        manifest: Manifest,
        lock: RunLock,
        source: Source,
        *,
        is_resumed: bool,
        is_quiet: bool = False,
    ) -> None:
        self.folder = folder
        self.identity = identity
        self.is_resumed = is_resumed
        self.logs = Logs(folder, manifest.attempt)
        self._manifest = manifest
        self._lock = lock
        self._source = source
        self._is_quiet = is_quiet
        self._later: list[tuple[str, Mapping[str, Any]]] = []

    @property
    def name(self) -> str:
        """The run's label."""
        return self._manifest.name

    @property
    def attempt(self) -> int:
        """Number of this process among those that wrote the run, from 1."""
        return self._manifest.attempt

    @property
    def seed(self) -> int:
        """The master seed."""
        return int(self._manifest.seed)

    @property
    def segment(self) -> int:
        """Number of the stretch of the run on one set of facts, from 0."""
        return max(0, len(self._manifest.segments) - 1)

    @property
    def attempt_folder(self) -> Path:
        """Where this process keeps what it took out of the run."""
        return layout.attempt_folder(self.folder, self.attempt)

    def settle_inputs(self, data: DataRecord) -> tuple[str, ...]:
        """Fix the inputs of a fresh run in its identity, or refuse (SR-RUN-015) when those of a resumed run moved.

        Returns (and records) the inputs of a resumed run that were not asked for, so that nobody compared them.
        """
        now = with_inputs(self.identity, data.inputs)
        if self.is_resumed:
            entry = self._manifest.entry
            refuse_moved_inputs(self.identity, now, entry=entry, was=self._recorded_data, found=data)
            if missing := not_read(self.identity, data.inputs):
                self.logs.event("input_not_read", inputs=list(missing))
            return missing
        if now.id != self.identity.id:
            write_data(self.folder, data)
            self._set_identity(now)
        return ()

    def _recorded_data(self) -> DataRecord:
        return read_data(self.folder) if (self.folder / layout.DATA).is_file() else DataRecord()

    def begin(self, marks: Mapping[str, Any] | None, steps: int | None, enforced: Mapping[str, Any]) -> None:
        """Say that the run is running, and what is in force; open its logs where `marks` say."""
        # ORDER: the manifest first lets go of where the logs ended, then they are cut.
        self._update(status=Status.RUNNING, steps=steps, logs={}, reason=None, enforced=enforced)
        self.logs.begin(marks)
        for kind, facts in self._later:
            self.logs.event(kind, **facts)
        self._later.clear()

    def record_later(self, kind: str, **facts: Any) -> None:
        """Record an event once this process trains; one that does not leaves the record as it was."""
        self._later.append((kind, facts))

    def tell_moved_around(self, found: Sequence[Moved]) -> None:
        """Name what is other around a run that goes on, and no part of its identity: in an event, and in one line."""
        if not found:
            return
        self.record_later("environment_moved", moved=[one.as_json() for one in found])
        if not self._is_quiet:
            sys.stderr.write(f"samerun: moved, and no part of the identity: {around_text(found)}\n")

    def write_evaluation(self, name: str, step: int, numbers: Mapping[str, Any]) -> None:
        """Write the result of an evaluation that stands outside any step."""
        write_evaluation(self.folder, name, step, numbers)

    def abort(self) -> None:
        """Say in the manifest that a second signal ended the process; called from the signal thread."""
        write_manifest(self.folder, replace(self._manifest, status=Status.INTERRUPTED, updated=clock.utc_now()))

    def close(self, status: Status, *, reason: str | None, facts: Mapping[str, Any]) -> None:
        """Close the logs, write the final manifest and release the lock. `facts` are further manifest fields."""
        try:
            self._settle_source()
            marks = self.logs.close()
            self._update(status=status, logs=marks, reason=shown_reason(reason), **facts)
        finally:
            self._lock.release()

    def leave(self) -> None:
        """Release a run of an earlier process that this one did not come to train: its manifest stays as it was."""
        try:
            self.logs.close()
        finally:
            self._lock.release()

    def _settle_source(self) -> None:
        """Add source that was imported after the opening to the record and the identity; name what changed since."""
        late, changed = self._source.late(), self._source.changed()
        if not late and not changed:
            return
        source = self._source.with_late(late)
        identity, labels = with_late_imports(self.identity, source)
        is_new = bool(labels) or not set(late_labels(source)) <= set(self._manifest.late_imports)
        if is_new or changed:
            add_source(self.folder, [file for file in source.of(USER) if file.is_late], changed)
        if changed:
            self.logs.event("source_changed", files=[file.label for file in changed])
            self._say_changed([file.label for file in changed])
        if is_new:
            self.logs.event("late_import", files=list(labels))
            known = {*self._manifest.late_imports, *late_labels(source)}
            self._set_identity(identity, late_imports=tuple(sorted(known)))

    def _say_changed(self, labels: Sequence[str]) -> None:
        if not self._is_quiet:
            names = ", ".join(labels[:3]) + (f" and {len(labels) - 3} more" if len(labels) > 3 else "")
            sys.stderr.write(f"samerun: edited since the run began: {names}; the record holds what it began with\n")

    def _set_identity(self, identity: Identity, **changes: Any) -> None:
        self.identity = identity
        write_identity(self.folder, identity)
        self._update(identity=identity.id, **changes)

    def _update(self, **changes: Any) -> None:
        self._manifest = replace(self._manifest, updated=clock.utc_now(), **changes)
        write_manifest(self.folder, self._manifest)
