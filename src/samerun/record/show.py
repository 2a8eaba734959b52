"""The verb `show`: one run as a plain value, from status to what it holds on disk. Reads, and needs no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samerun.checkpoint.store import list_checkpoints, list_steps
from samerun.record import layout
from samerun.record.find import find_run
from samerun.record.manifest import Checked, Entry, Manifest, Parent, Segment
from samerun.record.marks import Marks
from samerun.record.origin import SourceFacts, source_facts
from samerun.record.progress import progress_of
from samerun.record.project import runs_folder
from samerun.record.reader import RunRecord


@dataclass(frozen=True)
class ShownCheckpoint:
    """One complete checkpoint."""

    step: int
    path: str
    """Relative to the run folder."""
    size_bytes: int
    is_pinned: bool
    is_best: bool


@dataclass(frozen=True)
class Disk:
    """What the folder holds, in bytes."""

    total_bytes: int
    checkpoints_bytes: int
    logs_bytes: int
    attempts_bytes: int
    """Rows and checkpoints that a rewind took out."""


@dataclass(frozen=True)
class Guarded:
    """What the guard found, in all processes that it stood around."""

    mode: str
    """How it was set in the last of them: `record` or `raise`."""
    times: int
    found: tuple[Mapping[str, Any], ...]
    """One for each call site, as its event says."""


@dataclass(frozen=True)
class ShownRun:
    """One run."""

    run: Path
    name: str
    identity: str
    status: str
    is_live: bool
    step: int
    steps: int | None
    seed: str
    tier: str
    exact_except: tuple[str, ...]
    grade: str
    is_from_bundle: bool
    """Whether it came from elsewhere: code of its own runs with trust only."""
    entry: Entry
    created: str
    updated: str
    attempt: int
    reason: str | None
    parent: Parent | None
    segments: tuple[Segment, ...]
    checked: Checked
    guarded: Guarded | None
    """None for a run without a guard."""
    enforced: Mapping[str, Any]
    excepted: Mapping[str, int]
    source: SourceFacts | None
    """Commit, dirt and completeness of the source; None for a run that has none."""
    late_imports: tuple[str, ...]
    state_digest: str | None
    metrics: Mapping[str, Any]
    rows_beyond: int
    """Rows behind the newest checkpoint of a run that is not live: a resume makes them again."""
    not_a_number: Mapping[str, Any] | None
    """The first step with a number that was NaN, and its columns; None: no number was."""
    inputs: tuple[str, ...]
    """Names of the inputs in the identity: data sets in memory, and what `run.input` was given."""
    lacks_inputs: bool
    """Whether this is a loop that trained and has none."""
    best: Mapping[str, Any]
    marks: Marks
    verification: Mapping[str, Any] | None
    """The last answer of `verify`: verdict, date, steps compared, verdicts of its checks, and what happened since."""
    checkpoints: tuple[ShownCheckpoint, ...]
    evaluations: tuple[str, ...]
    disk: Disk


def show(run: str | Path, runs: Path | None = None) -> ShownRun:
    """Show one run: RUN is a folder, a name, the beginning of either or of an identity, `@last` or `@last~1`.

    Raises NoMatchError where none matches, UsageError where several do, DamageError for a damaged record.
    """
    record = find_run(str(run), runs_folder(runs))
    manifest, marks, progress = record.manifest, record.marks, progress_of(record)
    return ShownRun(
        run=record.folder,
        name=manifest.name,
        identity=manifest.identity,
        status=str(record.status.value),
        is_live=record.is_live,
        step=progress.step,
        steps=manifest.steps,
        seed=manifest.seed,
        tier=manifest.tier,
        exact_except=manifest.exact_except,
        grade=manifest.grade,
        is_from_bundle=record.has(layout.UNPACKED),
        entry=manifest.entry,
        created=manifest.created,
        updated=manifest.updated,
        attempt=manifest.attempt,
        reason=manifest.reason,
        parent=manifest.parent,
        segments=manifest.segments,
        checked=manifest.checked,
        guarded=_guarded(record),
        enforced=manifest.enforced,
        excepted=manifest.excepted,
        source=source_facts(record),
        late_imports=manifest.late_imports,
        state_digest=manifest.state_digest,
        metrics=dict(progress.metrics),
        rows_beyond=progress.rows_beyond,
        not_a_number=_not_a_number(record),
        inputs=_inputs(record),
        lacks_inputs=lacks_inputs(record),
        best=dict(manifest.best),
        marks=marks,
        verification=_verification(record),
        checkpoints=_checkpoints(record, marks),
        evaluations=_evaluations(record.folder),
        disk=_disk(record.folder),
    )


def _guarded(record: RunRecord) -> Guarded | None:
    rows = [row for row in record.events() if row["event"] in ("guard", "guarded")]
    modes = [row["mode"] for row in rows if row["event"] == "guarded"]
    found = tuple({key: row[key] for key in row if key != "sum"} for row in rows if row["event"] == "guard")
    return Guarded(modes[-1], sum(row["count"] for row in found), found) if modes else None


def lacks_inputs(record: RunRecord) -> bool:
    """Whether a loop trained here (a recipe's data are settings) without an input in its identity."""
    is_begun = bool(list_steps(record.folder / layout.CHECKPOINTS))
    return record.manifest.entry.kind != "recipe" and is_begun and not _inputs(record)


def _inputs(record: RunRecord) -> tuple[str, ...]:
    return tuple(record.identity.experiment.get("inputs", {})) if record.has(layout.IDENTITY) else ()


def _not_a_number(record: RunRecord) -> Mapping[str, Any] | None:
    rows = [row for row in record.events() if row["event"] == "not_a_number"]
    first = min(rows, key=lambda row: int(row["step"]), default=None)
    return None if first is None else {"step": first["step"], "columns": first["columns"]}


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of all files below a folder; what vanishes meanwhile counts nothing."""
    try:
        if not path.is_dir():
            return path.stat().st_size
        return sum(size_of(entry) for entry in path.iterdir())
    except FileNotFoundError:
        return 0


def _verification(record: RunRecord) -> Mapping[str, Any] | None:
    if not record.has(layout.VERIFICATION):
        return None
    document = record.document(layout.VERIFICATION)
    checks = {check["name"]: check["verdict"] for check in document.get("checks", [])}
    found = {name: document.get(name) for name in ("verdict", "date", "steps")}
    return {**found, "checks": checks, "since": _since(document.get("run"), record.manifest)}


def _since(proved: Mapping[str, Any] | None, manifest: Manifest) -> str | None:
    """Say what has become of the run since it was proved; null: nothing, or the proof is older than this field."""
    if proved is None:
        return None
    if proved["identity"] == manifest.identity and manifest.step > proved["step"]:
        return f"the run has gone on since, from step {proved['step']} to step {manifest.step}"
    logs = {name: manifest.logs[name].as_json() for name in (layout.METRICS, layout.TRAIL) if name in manifest.logs}
    now = (manifest.identity, manifest.step, logs)
    then = (proved["identity"], proved["step"], {name: proved["logs"].get(name) for name in logs})
    return None if now == then else "the record is not the one that was proved"


def _checkpoints(record: RunRecord, marks: Marks) -> tuple[ShownCheckpoint, ...]:
    best = record.manifest.best.get("step")
    folder = record.folder / layout.CHECKPOINTS
    return tuple(
        ShownCheckpoint(
            step=info.step,
            path=f"{layout.CHECKPOINTS}/{info.path.name}",
            size_bytes=size_of(info.path),
            is_pinned=info.step in marks.pins,
            is_best=info.step == best,
        )
        for info in list_checkpoints(folder)
    )


def _evaluations(folder: Path) -> tuple[str, ...]:
    place = folder / layout.EVALUATIONS
    return tuple(sorted(path.stem for path in place.glob("*.json"))) if place.is_dir() else ()


def _disk(folder: Path) -> Disk:
    logs = sum(size_of(folder / layout.log_part_name(log, part)) for log in layout.LOGS for part in _parts(folder, log))
    return Disk(
        total_bytes=size_of(folder),
        checkpoints_bytes=size_of(folder / layout.CHECKPOINTS),
        logs_bytes=logs,
        attempts_bytes=size_of(folder / layout.ATTEMPTS),
    )


def _parts(folder: Path, log: str) -> list[int]:
    return layout.log_parts(folder, log)
