"""What happened along a recorded run, as far as splits.py must know it to stop where it hurts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice

from samerun.record.metrics import columns
from samerun.record.reader import RunRecord

GRADIENTS = "gradients"
"""The name under which a loop tracks gradients that span steps (`run.track(gradients=model)`)."""
ORDER_STREAM = "data/order/epoch/{epoch}"


@dataclass(frozen=True)
class Course:
    """`epoch_starts` are the steps whose batch is the first of an epoch (0 is one), `evaluations` the steps that ended
    with an evaluation, `checkpoints` the numbers of completed steps at which one was saved (the ends are not listed),
    `in_windows` those at which a window that spans steps holds gradients.
    """

    steps: int
    epoch_starts: tuple[int, ...] = ()
    evaluations: tuple[int, ...] = ()
    checkpoints: tuple[int, ...] = ()
    in_windows: tuple[int, ...] = ()

    def with_checkpoint(self, every: int) -> Course:
        """Return the course of the same run if it saved every so many steps."""
        return replace(self, checkpoints=tuple(range(every, self.steps, every)))


def course_of(record: RunRecord, until: int | None = None) -> Course:
    """Read the course of a run, or of its first `until` steps, from its rows and the names of its checkpoints.

    An epoch begins where its order is drawn; an evaluation shows as columns that most rows do not have.
    """
    starts: list[int] = []
    gradients: list[str | None] = []
    steps = 0
    for row in islice(record.trail(), until):
        # Rows, not the manifest: a run that was killed had no time to write down how far it came.
        steps = int(row["step"]) + 1
        if row["streams"].get(ORDER_STREAM):
            starts.append(int(row["step"]))
        gradients.append((row["state"] or {}).get(GRADIENTS))
    saved = tuple(step for step in _saved_steps(record) if 0 < step < steps)
    return Course(steps, tuple(starts), _evaluations(record, until), saved, _in_windows(gradients))


def _in_windows(gradients: list[str | None]) -> tuple[int, ...]:
    """Return the numbers of completed steps at which gradients are held: where their digest is not that of none."""
    known = [digest for digest in gradients if digest is not None]
    if not known:
        return ()
    # None are held after every window, the same each time; those that are held are never the same twice.
    empty = max(known, key=known.count)
    return tuple(step + 1 for step, digest in enumerate(gradients) if digest not in (None, empty))


def _evaluations(record: RunRecord, until: int | None) -> tuple[int, ...]:
    seen: dict[str, list[int]] = {}
    count = 0
    for row in islice(record.metrics(), until):
        count += 1
        for column in columns(row):
            seen.setdefault(column, []).append(int(row["step"]))
    rare = [steps for steps in seen.values() if len(steps) < count]
    return tuple(sorted({step for steps in rare for step in steps}))


def _saved_steps(record: RunRecord) -> list[int]:
    from samerun.checkpoint.store import digested_steps
    from samerun.record import layout

    return digested_steps(record.folder / layout.CHECKPOINTS)
