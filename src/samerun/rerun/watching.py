"""What looks on at the steps of a child, as its command line asks: a trace, a walk of what is carried, a mishap.

None changes a number. A trace loads torch only when its step comes; the recorder itself is in tracing/.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from samerun.record.reader import RunRecord
from samerun.record.trace import Trace

if TYPE_CHECKING:
    from samerun.rerun.tracing.recorder import Recorder
    from samerun.run.body import BodyWatch
    from samerun.run.step import Step
    from samerun.run.tracked import Tracked


@dataclass(frozen=True)
class TraceWish:
    """Which step is recorded, and where its trace goes."""

    step: int
    path: Path
    begun: int = 0
    """The checkpoint that the run went on from."""


@dataclass(frozen=True)
class WalkWish:
    """Up to how many completed steps the carried state is looked at (run/carried/), and where the walk goes."""

    path: Path
    until: int


def watch_of(mishap: str | None, walk: WalkWish | None) -> BodyWatch | None:
    """Return what looks on at a training as its command line asks: a mishap, a walk, or nothing."""
    if mishap is not None:
        from samerun.rerun.mishap import Mishap, MishapWatch

        return MishapWatch(Mishap.of_argument(mishap))
    if walk is not None:
        from samerun.run.carried.watch import CarriedWatch

        return CarriedWatch(walk.path, walk.until)
    return None


class TraceWatch:
    """Records the operations of one step of `record`; `root` is the project that source lines are relative to."""

    def __init__(self, wish: TraceWish, record: RunRecord, root: Path) -> None:
        self._wish = wish
        self._record = record
        self._root = root
        self._tracked: Tracked | None = None
        self._recorder: Recorder | None = None
        self._before: dict[str, str] = {}

    def attach(self, tracked: Tracked) -> None:
        """Take the tracked objects of the run."""
        self._tracked = tracked

    def enter(self, step: Step) -> None:
        """Begin to record where this is the step; a further micro-batch goes on."""
        if step.index != self._wish.step or self._tracked is None:
            return
        if self._recorder is None:
            from samerun.rerun.tracing.recorder import Recorder

            self._before = self._tracked.digests()
            self._recorder = Recorder(self._tracked.objects, str(self._root))
        self._recorder.__enter__()

    def leave(self, step: Step) -> None:
        """Stop recording, and write the trace after the last micro-batch."""
        if step.index != self._wish.step or self._recorder is None or self._tracked is None:
            return
        self._recorder.__exit__(None, None, None)
        if step.is_update:
            self._write(self._recorder, self._tracked.digests())

    def _write(self, recorder: Recorder, after: dict[str, str]) -> None:
        Trace(
            run=self._record.name,
            identity=self._record.manifest.identity,
            step=self._wish.step,
            begun=self._wish.begun,
            before=self._before,
            after=after,
            platform=self._record.identity.platform,
            operations=recorder.operations,
        ).write(self._wish.path)
