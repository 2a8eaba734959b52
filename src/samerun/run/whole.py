"""Whether the documents of a run that is to go on are all there and are what was written; reading is record/'s work.

Checkpoints and logs up to the checkpoint are checked where they are read; this is the rest. Changes nothing.
"""

from __future__ import annotations

from pathlib import Path

from samerun.record import layout
from samerun.record.progress import check_last_checkpoint
from samerun.record.reader import RunRecord
from samerun.record.resolved import read_submitted
from samerun.record.rowchain import walk_rows
from samerun.record.source_read import read_snapshot


def check_whole(folder: Path, *, is_fallback: bool = False) -> None:
    """Read every document of a run folder, and its logs as far as it says they go. Raises DamageError naming a file.

    The checkpoint that the run ended with has to be there; with `is_fallback`, any.
    """
    record = RunRecord.open(folder)
    check_last_checkpoint(record, is_fallback=is_fallback)
    read_submitted(folder, record.config)
    read_snapshot(folder)
    record.document(layout.ENVIRONMENT)
    if record.identity.experiment.get("inputs"):
        record.data()
    for name, mark in sorted(record.manifest.logs.items()):
        for _ in walk_rows(folder, name, until=mark):
            pass
