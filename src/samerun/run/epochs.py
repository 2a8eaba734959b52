"""Epochs on top of the loop: which epoch it is, and micro-batches grouped into steps.

A step is one optimizer step. It is settled when the next one (or the next epoch) is asked for, so what a loop does
between two epochs (a scheduler, an evaluation) belongs to the epoch's last step and is inside its checkpoint.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from typing import TYPE_CHECKING, Any

from samerun.data.loader import Loader
from samerun.errors import UsageError
from samerun.run.body import Body
from samerun.run.feeding import Behind, noted
from samerun.run.step import Step
from samerun.run.tracked import Tracked

if TYPE_CHECKING:
    from samerun.run.loop import Loop


class Epoch:
    """One pass over the data. `index` counts from 0."""

    def __init__(self, loop: Loop, index: int, tracked: Tracked) -> None:
        self._loop = loop
        self.index = index
        self._tracked = tracked
        began = loop.place["epoch_step"]
        self._steps_behind = 0 if began is None else loop.completed - began

    def steps(self, batches: Iterable[Any], accumulate: int = 1) -> Iterator[tuple[Step, Any]]:
        """Yield (step, batch) for what is left of this epoch; `accumulate` consecutive batches share one step.

        Each micro-batch has its own ambient randomness; `step.is_update` is true for the last of a window. The last
        window of an epoch is shorter when the batches do not divide. After a resume the epoch goes on behind the last
        settled step, and a window that was interrupted is done again from its first micro-batch. What is neither a
        loader of the run nor tracked is then iterated from its beginning, and what was consumed is passed over.
        """
        if accumulate < 1:
            raise UsageError(
                "SR-RUN-004", f"accumulate is {accumulate}", evidence=("wanted: 1 or more",), do="pass accumulate=1"
            )
        self._loop.enter()
        self._loop.refuse_nested()
        left = _batches_left(batches)
        consumed = self._consumed(batches, left, accumulate)
        left -= consumed.batches
        is_own_place = self._tracked.holds(batches)
        iterator = noted(
            batches, self._loop.sources.beside, self._loop, Behind(window=accumulate) if is_own_place else consumed
        )
        while left > 0 and not self._loop.is_over():
            window = min(accumulate, left)
            left -= window
            step = self._loop.begin()
            for micro in range(window):
                if window > 1 and micro > 0:
                    step.enter_micro(micro, is_update=False)
                step.is_update = micro == window - 1
                batch = _next_of(iterator, batches)
                with Body(self._loop, step):
                    yield step, batch
        if self._loop.pending is None:
            self._loop.watch.rest(self._loop.completed)

    def _consumed(self, batches: Iterable[Any], left: int, window: int) -> Behind:
        """Count what steps before a restart consumed of these batches, beyond what a loader knows by itself."""
        steps = 0 if isinstance(batches, Loader) else min(self._steps_behind, -(-left // window))
        self._steps_behind -= steps
        return Behind(steps, min(steps * window, left), window)


def _next_of(iterator: Iterator[Any], batches: Iterable[Any]) -> Any:
    batch = next(iterator, _END)
    if batch is _END:
        raise UsageError(
            "SR-RUN-005",
            f"{type(batches).__name__} ended before its epoch",
            evidence=("it gave fewer batches than its length says",),
            do="pass run.loader(...), or something whose length is true in every epoch",
        )
    return batch


_END: Any = object()


def _batches_left(batches: Iterable[Any]) -> int:
    """Count the batches left in this epoch. Shape of the answer: batches, not items."""
    try:
        if isinstance(batches, Loader):
            return batches.batches_left
        if isinstance(batches, Sized):
            return len(batches)
    except TypeError:
        pass  # a filtered, packed or streamed loader: only reading tells
    raise UsageError(
        "SR-RUN-005",
        f"epoch.steps cannot tell how long {type(batches).__name__} is",
        evidence=("a window must know whether a batch is the last of its epoch",),
        do="take its batches by next(...) in run.steps(n), or pass something with a length",
    )
