"""The run folder of a live run: its lock, identity and manifest, held by one process from lock to release.

The logs in it are logs.py, its checkpoints saving.py; which folder it is was decided by open.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from samerun.base import clock
from samerun.base.lock import RunLock
from samerun.base.sealed import read_sealed, write_sealed
from samerun.base.shareable import shareable_text
from samerun.config.problems import printable
from samerun.record import layout
from samerun.record.identity import Identity, write_identity
from samerun.record.manifest import Manifest, Status, write_manifest
from samerun.record.source import Source, write_source
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
    ) -> None:
        self.folder = folder
        self.identity = identity
        self.is_resumed = is_resumed
        self.logs = Logs(folder, manifest.attempt)
        self._manifest = manifest
        self._lock = lock
        self._source = source
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

    def settle_inputs(self, facts: Mapping[str, str], files: Mapping[str, Any]) -> tuple[str, ...]:
        """Fix the inputs of a fresh run in its identity, or refuse (SR-RUN-015) when those of a resumed run moved.

        files: what data.json says of the files of each folder among them.
        Returns (and records) the inputs of a resumed run that were not asked for, so that nobody compared them.
        """
        now = with_inputs(self.identity, facts)
        if self.is_resumed:
            entry = self._manifest.entry
            refuse_moved_inputs(self.identity, now, entry=entry, was=self._recorded_files(), files=files)
            if missing := not_read(self.identity, facts):
                self.logs.event("input_not_read", inputs=list(missing))
            return missing
        if now.id != self.identity.id:
            head = {"schema": "samerun.data", "format": layout.RUN_FORMAT}
            write_sealed(self.folder / layout.DATA, {**head, "inputs": dict(facts), "files": dict(files)})
            self._set_identity(now)
        return ()

    def _recorded_files(self) -> Mapping[str, Any]:
        path = self.folder / layout.DATA
        found = read_sealed(path).get("files", {}) if path.is_file() else {}
        return found if isinstance(found, dict) else {}

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

    def write_evaluation(self, name: str, step: int, numbers: Mapping[str, Any]) -> None:
        """Write the result of an evaluation that stands outside any step."""
        write_evaluation(self.folder, name, step, numbers)

    def abort(self) -> None:
        """Say in the manifest that a second signal ended the process; called from the signal thread."""
        write_manifest(self.folder, replace(self._manifest, status=Status.INTERRUPTED, updated=clock.utc_now()))

    def close(self, status: Status, *, reason: str | None, facts: Mapping[str, Any]) -> None:
        """Close the logs, write the final manifest and release the lock. `facts` are further manifest fields."""
        try:
            self._add_late_imports()
            marks = self.logs.close()
            short = None if reason is None else printable(shareable_text(" ".join(reason.split())))[:300]
            self._update(status=status, logs=marks, reason=short, **facts)
        finally:
            self._lock.release()

    def leave(self) -> None:
        """Release a run of an earlier process that this one did not come to train: its manifest stays as it was."""
        try:
            self.logs.close()
        finally:
            self._lock.release()

    def _add_late_imports(self) -> None:
        """Add source that was imported after the opening to the record and the identity, flagged and named."""
        late = self._source.late()
        if not late:
            return
        source = self._source.with_late(late)
        identity, labels = with_late_imports(self.identity, source)
        if labels or not set(late_labels(source)) <= set(self._manifest.late_imports):
            write_source(self.folder, source)
            self.logs.event("late_import", files=list(labels))
            known = {*self._manifest.late_imports, *late_labels(source)}
            self._set_identity(identity, late_imports=tuple(sorted(known)))

    def _set_identity(self, identity: Identity, **changes: Any) -> None:
        self.identity = identity
        write_identity(self.folder, identity)
        self._update(identity=identity.id, **changes)

    def _update(self, **changes: Any) -> None:
        self._manifest = replace(self._manifest, updated=clock.utc_now(), **changes)
        write_manifest(self.folder, self._manifest)
