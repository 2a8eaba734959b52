"""What happens at a step boundary, in ONE fixed order, and nowhere else.

numbers -> metrics row -> trail row -> (checkpoint: logs synced first, index last, then retention) -> hooks -> sinks ->
stop? Everything that makes two runs comparable is written here; the files are record/'s and checkpoint/'s work.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from samerun.checkpoint.read import Checkpoint
from samerun.run.hooks import Hooks
from samerun.run.lifecycle import StopSwitch
from samerun.run.rows import Facts, rows_of
from samerun.run.saving import Saving
from samerun.run.session import DataRecord, Session
from samerun.run.sinks import Sinks
from samerun.run.step import Step
from samerun.run.tally import Tally, enforced_facts
from samerun.run.tracked import Tracked
from samerun.streams import ambient
from samerun.streams.stream import StreamSource

TRAIL_BYTES = 64 * 1024 * 1024
"""`trail.state_every: auto` digests the state at every step up to this size (2-7 ms), then thins in proportion."""


@dataclass(frozen=True)
class Sources:
    """Two openers of the same master seed: the ledger of steps, and all that stands beside them (not counted)."""

    steps: StreamSource
    beside: StreamSource


class Settler:
    """Writes one step boundary after the other. `completed` is the number of settled steps."""

    def __init__(
        self,
        session: Session,
        tracked: Tracked,
        sources: Sources,
        saving: Saving,
        hooks: Hooks,
        sinks: Sinks,
        switch: StopSwitch,
    ) -> None:
        self.completed = 0
        self.newest: dict[str, int | float] = {}
        """The last value of each logged number."""
        self.finished: dict[str, int | None] | None = None
        """`{"target": steps}` once the run was ended on purpose while so many steps were wanted."""
        self.tally = Tally()
        """Steps made twice, and operations of `exact_except`, over all attempts."""
        self._session = session
        self._tracked = tracked
        self._sources = sources
        self._saving = saving
        self._hooks = hooks
        self._sinks = sinks
        self._switch = switch
        self._state_every = saving.policy.state_every

    def open(self, inputs: DataRecord, target: int | None, place: dict[str, int | None]) -> dict[str, int | None]:
        """Restore the newest checkpoint, or write the first one at `place`; return the place to go on from."""
        self._tracked.fix()
        for name in self._session.settle_inputs(inputs):
            sys.stderr.write(f"samerun: {name} was read when this run began; it was not asked for now, nor compared\n")
        checkpoint = self._saving.newest()
        if checkpoint is None:
            self._session.begin(None, target, enforced_facts())
            self.save(place)
        else:
            place = self._restore(checkpoint, target)
        # What was drawn before the loop, or skipped by putting a generator's state back, belongs to no step.
        self._sources.steps.take_counts()
        return place

    def _restore(self, checkpoint: Checkpoint, target: int | None) -> dict[str, int | None]:
        with ambient.scope(self._sources.beside.open("ambient/restore")):
            self._tracked.restore(checkpoint.trees(), checkpoint.digests, checkpoint.path.name)
            self._tracked.put_flags(checkpoint.extra.get("flags", {}))
        self._sources.beside.begin_step()
        self.completed = checkpoint.step
        self.newest = dict(checkpoint.extra["metrics"])
        self.finished = checkpoint.extra.get("finished")
        self.tally.restored(checkpoint.extra)
        self._session.begin(checkpoint.logs, target, enforced_facts())
        self._saving.restored(checkpoint, self._session.attempt_folder)
        self._session.logs.event("resume", step=checkpoint.step, passed_over=list(self._saving.passed_over))
        for problem in self._saving.passed_over:
            sys.stderr.write(f"samerun: going on from {checkpoint.path.name}, passing over {problem}\n")
        self._run_hooks()
        return {name: checkpoint.extra.get(name) for name in ("epoch", "epoch_step")}

    def settle(self, step: Step, seconds: float, place: Mapping[str, int | None], target: int | None) -> None:
        """Settle one step; `seconds` is the wall time of its body."""
        facts = Facts(
            ambient=ambient.fingerprint(),
            streams=self._sources.steps.take_counts(),
            state=self._tracked.digests() if self._is_digested(step.index) else None,
            seconds=seconds,
            segment=self._session.segment,
        )
        numbers, metrics_row, trail_row = rows_of(step, facts)
        self._session.logs.write(metrics_row, trail_row)
        step.is_settled = True
        self.tally.trained += 1
        self.tally.rechecked += step.is_rechecked
        self.completed = step.index + 1
        self.newest.update(numbers)
        self._warn_of_nan(step.index, self.tally.first_nan(numbers))
        is_best = self._saving.best.note(self.completed, numbers)
        self._switch.note_step(seconds, self.completed)
        is_last = self._switch.reason is not None or self.completed == target
        # ORDER: the rows of a step are written before the checkpoint that stands on them, and synced by it.
        if is_best or is_last or self._saving.is_due(self.completed):
            self.save(place)
        self._run_hooks()
        for failed in self._sinks.tell(self.completed, target, metrics_row):
            self._session.logs.event("sink_failed", **failed)

    def _warn_of_nan(self, index: int, columns: list[str]) -> None:
        if columns:
            self._session.logs.event("not_a_number", step=index, columns=columns)
            sys.stderr.write(f"samerun: {', '.join(columns)} is NaN in step {index}; the run goes on\n")

    def is_finished(self, target: int | None) -> bool:
        """Whether the run was ended on purpose, now or by an earlier process, and no more steps are wanted."""
        if self.finished is None:
            return False
        then = self.finished["target"]
        return target is None or then is None or target <= then

    def save(self, place: Mapping[str, int | None], *, is_forced: bool = False) -> None:
        """Write the checkpoint of this boundary unless it exists; `place` says where among the epochs it is."""
        if self._saving.is_saved(self.completed) and not is_forced:
            return
        logs = self._session.logs.sync()
        self._saving.save(
            self.completed,
            self._tracked.capture(),
            identity=self._session.identity.id,
            logs=logs,
            extra={
                **place,
                "metrics": self.newest,
                "flags": self._tracked.flags(),
                "parameters": self._tracked.parameters(),
                "tracked": list(self._tracked.names),
                "finished": self.finished,
                **self.tally.as_extra(),
            },
        )
        self._switch.slowest_save_seconds = self._saving.slowest_seconds
        if (words := self._saving.best.unseen()) is not None:
            self._session.logs.event("note", step=self.completed, text=words)
            sys.stderr.write(f"samerun: {words}\n")

    def stop(self, reason: str, place: Mapping[str, int | None]) -> None:
        """Make sure that this boundary has a checkpoint on disk before the process ends."""
        self.save(place)
        self._saving.join()
        self._session.logs.event("stop", reason=reason, step=self.completed)

    def close(self, *, is_whole: bool) -> dict[str, Any]:
        """End the writing; return what the manifest says about where the run stands.

        The state has a digest only if it is `is_whole`: that of a step boundary, not of a body that was left.
        """
        self._sinks.close()
        self._hooks.close()
        self._saving.join()
        return {
            "step": self.completed,
            "state_digest": self._tracked.digest() if is_whole else None,
            "metrics": self.newest,
            "best": self._saving.best.found or {},
            **self.tally.as_facts(),
        }

    def _is_digested(self, index: int) -> bool:
        if self._state_every is None:
            self._state_every = 1 + self._tracked.nbytes() // TRAIL_BYTES
        return self._state_every > 0 and index % self._state_every == 0

    def _run_hooks(self) -> None:
        for name in self._hooks.run_due(self.completed, self._session.attempt):
            self._session.logs.event("hook", name=name, step=self.completed)
