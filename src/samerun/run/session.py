"""The run folder of a live run: its lock, identity, manifest and logs, held open by one process.

File names and document shapes belong to record/; this file decides when they change during a run's life. Opening a new
folder or an old one is open.py's work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from samerun.base import clock
from samerun.base.lock import RunLock
from samerun.base.redact import redact_text
from samerun.base.sealed import write_sealed
from samerun.errors import RefusedError
from samerun.record import layout
from samerun.record.events import event_row
from samerun.record.identity import Identity, moved, write_identity
from samerun.record.manifest import Manifest, Status, write_manifest
from samerun.record.rowchain import walk_rows
from samerun.record.rows import LogMark, RowLog, end_mark
from samerun.record.source import USER, Source, write_source
from samerun.run.history import open_history
from samerun.run.numbers import read_numbers


class Session:
    """One process writing one run folder, from lock to release."""

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
        self._manifest = manifest
        self._lock = lock
        self._source = source
        self._events = open_history(folder, layout.EVENTS, manifest.attempt)
        self._metrics: RowLog | None = None
        self._trail: RowLog | None = None

    @property
    def identity_id(self) -> str:
        return self.identity.id

    @property
    def attempt(self) -> int:
        return self._manifest.attempt

    @property
    def segment(self) -> int:
        return max(0, len(self._manifest.segments) - 1)

    def settle_inputs(self, facts: Mapping[str, str]) -> None:
        """Fix the inputs of a fresh run in its identity, or refuse (SR-RUN-015) when those of a resumed run moved."""
        document = {"schema": "samerun.data", "format": layout.RUN_FORMAT, "inputs": dict(facts)}
        known = dict(self.identity.experiment.get("inputs", {}))
        now = Identity({**self.identity.experiment, "inputs": {**known, **facts}}, self.identity.platform)
        if now.id == self.identity.id or not facts:
            return
        if self.is_resumed:
            differences = moved(self.identity, now)
            raise RefusedError(
                "SR-RUN-015",
                f"{len(differences)} input(s) of this run are not what they were",
                evidence=[f"{one.path}: {one.old} -> {one.new}" for one in differences],
                do="put the old content back, or start a new run with --new",
            )
        write_sealed(self.folder / layout.DATA, document)
        self._set_identity(now)

    def _set_identity(self, identity: Identity, **changes: Any) -> None:
        self.identity = identity
        write_identity(self.folder, identity)
        self._update(identity=identity.id, **changes)

    def _add_late_imports(self) -> None:
        """Add source that was imported after the opening to the record and the identity, flagged and named."""
        late = self._source.late()
        if not late:
            return
        source = self._source.with_late(late)
        labels = [file.label for file in source.files if file.is_late]
        known = self.identity.experiment["source"]
        user = {**known[USER], **{file.label: file.meaning for file in source.of(USER) if file.is_late}}
        if user == known[USER]:
            return
        write_source(self.folder, source)
        self._events.append(event_row("late_import", attempt=self.attempt, files=labels))
        experiment = {**self.identity.experiment, "source": {**known, USER: user}}
        now = Identity(experiment, self.identity.platform)
        self._set_identity(now, late_imports=tuple(sorted({*self._manifest.late_imports, *labels})))

    def begin(self, marks: Mapping[str, Any] | None, steps: int | None) -> None:
        """Open the logs at their stored positions (at their beginning for a fresh run); the run is now running."""
        # ORDER: the manifest first lets go of where the logs ended, then they are cut.
        self._update(status=Status.RUNNING, steps=steps, logs={}, reason=None)
        attempt = self._manifest.attempt
        where = f"{self.folder.name}: checkpoint"
        at = {name: None if marks is None else LogMark.from_json(marks[name], where) for name in layout.LOGS}
        for _ in walk_rows(self.folder, layout.EVENTS, until=at[layout.EVENTS]):
            pass  # events are never cut, but a log shorter than it was at the checkpoint is damage
        self._metrics = RowLog.open(self.folder, layout.METRICS, at[layout.METRICS], attempt)
        self._trail = RowLog.open(self.folder, layout.TRAIL, at[layout.TRAIL], attempt)

    def write_rows(self, metrics_row: dict[str, Any], trail_row: dict[str, Any]) -> None:
        """Append the two rows of one step; they reach the operating system before this returns."""
        assert self._metrics is not None and self._trail is not None
        self._metrics.append(metrics_row)
        self._trail.append(trail_row)

    def sync_logs(self) -> dict[str, Any]:
        """Bring every row to the disk and return the position of each log."""
        assert self._metrics is not None and self._trail is not None
        logs = (self._metrics, self._trail, self._events)
        for log in logs:
            log.sync()
        return {log.name: log.mark().as_json() for log in logs}

    def event(self, kind: str, **facts: Any) -> None:
        """Record something that happened to this process rather than to the run's numbers."""
        self._events.append(event_row(kind, attempt=self._manifest.attempt, **facts))

    def write_evaluation(self, name: str, step: int, numbers: Mapping[str, Any]) -> None:
        """Write the result of an evaluation that stands outside any step."""
        document = {"schema": "samerun.evaluation", "format": 1, "tag": name, "step": step}
        write_sealed(layout.evaluation_file(self.folder, name), {**document, "metrics": read_numbers(numbers)})

    def abort(self) -> None:
        """Say in the manifest that a second signal ended the process; called from the signal thread."""
        write_manifest(self.folder, replace(self._manifest, status=Status.INTERRUPTED, updated=clock.utc_now()))

    def close(self, status: Status, *, reason: str | None, facts: Mapping[str, Any]) -> None:
        """Close the logs, write the final manifest and release the lock. `facts` are further manifest fields."""
        try:
            self._add_late_imports()
            marks = {}
            if layout.log_parts(self.folder, layout.HOOKS_DONE):
                marks[layout.HOOKS_DONE] = end_mark(self.folder, layout.HOOKS_DONE)
            for log in (self._metrics, self._trail, self._events):
                if log is not None:
                    log.close()
                    marks[log.name] = log.mark()
            short = None if reason is None else redact_text(" ".join(reason.split()))[:300]
            self._update(status=status, logs={} if self._metrics is None else marks, reason=short, **facts)
        finally:
            self._lock.release()

    def _update(self, **changes: Any) -> None:
        self._manifest = replace(self._manifest, updated=clock.utc_now(), **changes)
        write_manifest(self.folder, self._manifest)
