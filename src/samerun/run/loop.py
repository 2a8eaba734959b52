"""The one loop: begin a step, hand it to the user's body, settle it in a fixed order, stop or go on.

`run.steps`, `epoch.steps` and the built-in trainers all turn this wheel; none of them has another. What a settled step
writes is settle.py's work, checkpoints are saving.py's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from samerun.base import clock
from samerun.errors import RefusedError, Stopped
from samerun.run.arguments import check_count
from samerun.run.body import Body
from samerun.run.inputs import Inputs
from samerun.run.lifecycle import StopSwitch
from samerun.run.onlookers import NOBODY, Onlookers
from samerun.run.operations import Operations
from samerun.run.settle import Settler, Sources
from samerun.run.step import Step


class Loop:
    """Owns the step under way. `target` is the number of steps wanted in all."""

    def __init__(
        self,
        settler: Settler,
        sources: Sources,
        switch: StopSwitch,
        operations: Operations,
        inputs: Inputs,
        watch: Onlookers = NOBODY,
    ) -> None:
        self.place: dict[str, int | None] = {"epoch": 0, "epoch_step": None}
        """The epoch that the next step belongs to, and the completed steps at its beginning (none: no epoch yet)."""
        self.target: int | None = None
        self.pending: Step | None = None
        self.is_entered = False
        self.is_finished = False
        self.is_exhausted = False
        self._settler = settler
        self.sources = sources
        self._switch = switch
        self._operations = operations
        self.inputs = inputs
        self.watch = watch

    @property
    def completed(self) -> int:
        return self._settler.completed

    def enter(self) -> None:
        """Enter the loop once: restore, or write the first checkpoint; from here on this thread owns the run."""
        if self.is_entered:
            with self._operations.doing("training"):
                return
        self._operations.enter("training")
        self.is_entered = True
        self.place = self._settler.open(self.inputs.record(), self.target, self.place)
        self._switch.note_step(0.0, self.completed)
        self._stop_if_asked()

    def leave(self) -> None:
        """Give the operation back at the end of the run; a step that was not settled is dropped."""
        self.pending = None
        if self.is_entered:
            self._operations.leave("training")

    def steps(self, target: int) -> Iterator[Step]:
        """Yield steps until `target` are complete."""
        target = check_count(target, "run.steps")
        self.target = max(self.target or 0, target)
        self._go_on()
        while not self.is_over(target):
            step = self.begin()
            with Body(self, step):
                yield step
        self._arrive()
        self.watch.rest(self.completed)

    def epochs(self, count: int) -> Iterator[int]:
        """Yield the indices of the epochs that are not over yet."""
        count = check_count(count, "run.epochs")
        self.target = None
        self._go_on()
        if self.place["epoch_step"] is None:
            self.place = {"epoch": 0, "epoch_step": self.completed}
        for index in range(self.place["epoch"] or 0, count):
            if self.is_finished:
                break
            self.watch.rest(self.completed)
            yield index
            self.place = {"epoch": index + 1, "epoch_step": self.completed + (self.pending is not None)}
            self._settle_pending()
        self._arrive()
        self.watch.rest(self.completed)

    def is_over(self, target: int | None = None) -> bool:
        """Settle what is pending, then say whether the loop has ended (on purpose or at `target`)."""
        self._settle_pending()
        return self.is_finished or (target is not None and self.completed >= target)

    def begin(self) -> Step:
        """Begin the next step: its names are free, the global generators are set from its ambient stream."""
        self.watch.begin(self.completed)
        self.sources.steps.begin_step()
        step = Step(self.completed, self.sources.steps)
        self.pending = step
        step.began = clock.monotonic()
        step.reset_ambient()
        return step

    def request_stop(self, reason: str) -> None:
        """Ask for a stop at the next step boundary; safe from any thread."""
        self._switch.request(reason)

    def finish(self) -> None:
        """End the run on purpose: the step under way is settled now; no further one begins, nor after a restart."""
        self.enter()
        if self.pending is not None and not self.pending.is_update:
            raise RefusedError(
                "SR-RUN-012",
                "finish() inside an accumulation window",
                evidence=(f"step {self.pending.index}, micro-batch {self.pending.micro}",),
                do="call finish() after the optimizer step (step.is_update)",
            )
        self.is_finished = True
        self._settler.finished = {"target": self.target}
        if self.pending is None:
            self._settler.save(self.place, is_forced=True)
        self._settle_pending()
        self._arrive()
        self.watch.rest(self.completed)

    @property
    def is_in_body(self) -> bool:
        """Whether a step is under way here, and no evaluation or other scope inside it."""
        return self.pending is not None and not self._operations.is_nested

    def note_batch(self, digest: str, counts: Mapping[str, int]) -> None:
        """Take the digest of a batch that the step under way consumes, and what was drawn for it.

        Batches of an evaluation or another scope inside the step are none of its own.
        """
        if self.pending is not None and self.is_in_body:
            self.pending.batches.append(digest)
            self.sources.steps.add_counts(counts)

    def refuse_nested(self) -> None:
        """Refuse (SR-RUN-023) a loop inside the body of a step: there is one loop, and its step is under way."""
        if self.pending is not None and self.pending.is_in_body:
            raise RefusedError(
                "SR-RUN-023",
                "a loop of the run inside the body of a step",
                evidence=(f"step {self.pending.index} is under way",),
                do="put the loops one after the other, or iterate over something that is not the run",
            )

    def _go_on(self) -> None:
        """Enter the loop, or go on with a further one in the same process."""
        self.enter()
        self.refuse_nested()
        self.is_finished = self.is_finished or self._settler.is_finished(self.target)
        if not self.is_finished:
            self._settler.finished = None
        self.is_exhausted = False
        self._stop_if_asked()

    def _settle_pending(self) -> None:
        step = self.pending
        if step is None:
            return
        self.watch.settle()
        self.pending = None
        self._settler.settle(step, clock.monotonic() - step.began, self.place, self.target)
        self._stop_if_asked()

    def _stop_if_asked(self) -> None:
        if self._switch.reason is None or self._settler.is_finished(self.target) or self._is_arrived():
            return
        self._settler.stop(self._switch.reason, self.place)
        raise Stopped(f"stopped before step {self.completed}: {self._switch.reason}")

    def _is_arrived(self) -> bool:
        return self.target is not None and self.completed >= self.target

    def _arrive(self) -> None:
        self.is_exhausted = True
        self._settler.save(self.place)
