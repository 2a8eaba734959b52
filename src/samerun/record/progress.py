"""How far a run is while its manifest does not say it yet: that is settled when a process ends in order, and a run that
is live, or was killed, has gone on since. From names and the end of one log; whole logs are reader.py's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from samerun.checkpoint.store import list_steps
from samerun.errors import DamageError
from samerun.record import layout
from samerun.record.manifest import SETTLED, Status
from samerun.record.metrics import STEP, columns
from samerun.record.reader import RunRecord
from samerun.record.subject import train_anew

TAIL_BYTES: Final = 65536
"""How much of a log's end is looked at; a longer row is not seen."""


@dataclass(frozen=True)
class Progress:
    """Completed steps, and the newest value of each metric."""

    step: int
    metrics: Mapping[str, Any]
    rows_beyond: int = 0
    """Rows behind the newest checkpoint, which a resume takes out and makes again; of a live run none count."""


def progress_of(record: RunRecord) -> Progress:
    """Return what the manifest says of a settled run, else what lies in the folder.

    A run whose process died is where its newest checkpoint is: rows after it are made again. Of a live run the newest
    row counts. Nothing is verified here.
    """
    manifest = record.manifest
    if manifest.status in SETTLED:
        return Progress(manifest.step, manifest.metrics, _rows_beyond(record))
    step = max([manifest.step, *list_steps(record.folder / layout.CHECKPOINTS)])
    is_live = record.is_live
    row = _last_row(record.folder) if is_live else None
    if row is None:
        return Progress(step, manifest.metrics, 0 if is_live else _rows_beyond(record))
    return Progress(max(step, row[STEP] + 1), {**manifest.metrics, **columns(row)})


def _rows_beyond(record: RunRecord) -> int:
    saved = list_steps(record.folder / layout.CHECKPOINTS)
    if record.manifest.status is Status.COMPLETED or not saved:
        return 0
    row = _last_row(record.folder)
    return 0 if row is None else max(0, int(row[STEP]) + 1 - max(saved))


def check_last_checkpoint(record: RunRecord, *, is_fallback: bool = False) -> None:
    """Raise DamageError SR-RECORD-025 where the checkpoint that a run ended with is not there.

    A run that was completed or stopped with a whole state wrote it; retention and gc always keep the newest. With
    `is_fallback` an earlier one will do, but not none at all: that would be to train anew under an old name.
    """
    manifest = record.manifest
    if manifest.status not in (Status.COMPLETED, Status.STOPPED) or manifest.state_digest is None:
        return
    left = list_steps(record.folder / layout.CHECKPOINTS)
    if manifest.step in left or (is_fallback and left):
        return
    raise DamageError(
        "SR-RECORD-025",
        f"the checkpoint of step {manifest.step}, with which the run ended, is missing",
        evidence=[f"checkpoints that are left: {', '.join(map(str, left)) or 'none'}"],
        do=f"restore it from a copy, or go on from another: samerun resume {record.folder.as_posix()} --fallback"
        if left
        else f"restore them from a copy, or start a new run: {train_anew(manifest.entry)}",
    )


def _last_row(folder: Path) -> dict[str, Any] | None:
    """Return the last whole row of the metrics, None where there is none."""
    parts = layout.log_parts(folder, layout.METRICS)
    if not parts:
        return None
    with (folder / layout.log_part_name(layout.METRICS, parts[-1])).open("rb") as log:
        size = log.seek(0, 2)
        log.seek(max(0, size - TAIL_BYTES))
        lines = log.read().split(b"\n")[:-1]
    try:
        row = json.loads(lines[-1]) if lines else None
    except ValueError:
        return None
    return row if isinstance(row, dict) and type(row.get(STEP)) is int else None
