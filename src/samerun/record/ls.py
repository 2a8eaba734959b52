"""The verb `ls`: a row for each run of a folder, read from the manifests, and of a run that none has closed from what
lies in its folder (progress.py). One run in full is show.py's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samerun.base.text import nearest
from samerun.errors import DamageError, MissingError, UsageError
from samerun.record.find import find_runs
from samerun.record.manifest import Status
from samerun.record.progress import progress_of
from samerun.record.project import runs_folder
from samerun.record.reader import RunRecord
from samerun.record.where import Comparison, parse_where

DAMAGED = "damaged"


@dataclass(frozen=True)
class ListedRun:
    """One row. A run whose manifest cannot be read is listed with status `damaged` and the problem."""

    run: Path
    name: str
    status: str
    step: int
    steps: int | None
    identity: str
    created: str
    updated: str
    tags: tuple[str, ...] = ()
    metrics: Mapping[str, Any] | None = None
    problem: str | None = None


def ls(
    runs: Path | None = None, *, where: str | None = None, status: str | None = None, tag: str | None = None
) -> tuple[ListedRun, ...]:
    """List the runs of a folder, the oldest first.

    `where` is a condition over name, status, step, steps, seed, tier, identity, created, the newest metrics by their
    column (`train/loss`) and the settings as `config.<path>`. Raises UsageError SR-LS-001 for one that cannot be read,
    SR-LS-002 for a status that there is not.
    """
    if status is not None:
        _check_status(status)
    conditions = parse_where(where) if where is not None else ()
    rows = (_row(record) for record in find_runs(runs_folder(runs)))
    return tuple(row for row, record in rows if _is_wanted(row, record, conditions, status, tag))


def _check_status(status: str) -> None:
    known = [*(str(one.value) for one in Status), DAMAGED]
    if status not in known:
        close = nearest(status, known)
        raise UsageError(
            "SR-LS-002",
            f"--status: no run has the status {status!r}",
            evidence=[f"known: {', '.join(known)}"],
            do=f"samerun ls --status {close or Status.COMPLETED.value}",
        )


def _row(record: RunRecord) -> tuple[ListedRun, RunRecord]:
    try:
        manifest, marks, status = record.manifest, record.marks, record.status
        progress = progress_of(record)
    except (DamageError, MissingError) as error:
        return ListedRun(record.folder, record.name, DAMAGED, 0, None, "", "", "", problem=error.what), record
    return (
        ListedRun(
            run=record.folder,
            name=manifest.name,
            status=str(status.value),
            step=progress.step,
            steps=manifest.steps,
            identity=manifest.identity,
            created=manifest.created,
            updated=manifest.updated,
            tags=marks.tags,
            metrics=dict(progress.metrics),
        ),
        record,
    )


def _is_wanted(
    row: ListedRun, record: RunRecord, conditions: Iterable[Comparison], status: str | None, tag: str | None
) -> bool:
    if status is not None and row.status != status:
        return False
    if tag is not None and tag not in row.tags:
        return False
    conditions = tuple(conditions)
    if not conditions:
        return True
    facts = _facts(row, record, any(condition.name.startswith("config.") for condition in conditions))
    return all(condition.holds(facts) for condition in conditions)


def _facts(row: ListedRun, record: RunRecord, with_config: bool) -> dict[str, Any]:
    facts: dict[str, Any] = {
        name: getattr(row, name) for name in ("name", "status", "step", "steps", "identity", "created", "updated")
    }
    if row.status == DAMAGED:
        return facts
    facts |= {"seed": record.manifest.seed, "tier": record.manifest.tier, "grade": record.manifest.grade}
    facts |= row.metrics or {}
    if with_config:
        facts |= {f"config.{path}": value for path, value in _settings(record.config.values)}
    return facts


def _settings(tree: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _settings(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
