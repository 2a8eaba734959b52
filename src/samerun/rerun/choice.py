"""Which checkpoint of a run a word means: `last`, `best`, or a number of completed steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samerun.checkpoint.index import CheckpointInfo
from samerun.checkpoint.store import find, latest
from samerun.errors import NoMatchError, UsageError
from samerun.record import layout
from samerun.record.reader import RunRecord
from samerun.rerun.origin import RECIPE

if TYPE_CHECKING:
    from samerun.checkpoint.read import Checkpoint


TRIES = 5


def read_chosen(record: RunRecord, wanted: str | int) -> Checkpoint:
    """Choose a checkpoint and read it, verified; where a live run's retention takes it in between, choose again."""
    from samerun.checkpoint.read import read_checkpoint

    for left in reversed(range(TRIES)):
        try:
            return read_checkpoint(checkpoint_of(RunRecord.open(record.folder), wanted).path)
        except NoMatchError as problem:
            if problem.code != "SR-CHECKPOINT-020" or not left:
                raise
    raise AssertionError("the last try returns or raises")


def checkpoint_of(record: RunRecord, wanted: str | int) -> CheckpointInfo:
    """Find the checkpoint that `last`, `best` or a step means. Raises NoMatchError, UsageError SR-EVALUATE-002."""
    _check_recipe(record)
    folder = record.folder / layout.CHECKPOINTS
    if wanted == "last":
        newest = latest(folder)
        if newest is None:
            raise NoMatchError(
                "SR-EVALUATE-003", f"{record.name} has no checkpoint", do=f"samerun resume {record.name}"
            )
        return newest
    step = record.manifest.best.get("step") if wanted == "best" else wanted
    if step is None:
        raise NoMatchError(
            "SR-EVALUATE-004",
            f"{record.name} has no best checkpoint",
            evidence=["its recipe names no checkpoint.best, or nothing was evaluated yet"],
            do="--checkpoint last",
        )
    if not str(step).isdecimal():
        raise UsageError("SR-EVALUATE-002", f"{wanted!r} is neither a step, nor best, nor last", do="--checkpoint last")
    return find(folder, int(step))


def _check_recipe(record: RunRecord) -> None:
    if record.manifest.entry.kind != RECIPE:
        raise UsageError(
            "SR-EVALUATE-001",
            f"{record.name} is the run of a program of its own: samerun does not know how it evaluates",
            evidence=[f"entry: {record.manifest.entry.kind} {record.manifest.entry.path or ''}".rstrip()],
            do="evaluate in the script, inside `with run.evaluation(...)`",
        )
