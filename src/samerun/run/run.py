"""A live, writing run: what `samerun.start` returns and what a loop talks to.

This class only connects: the loop itself is loop.py, the step boundary settle.py, scopes are scopes.py, the folder is
session.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from samerun.data.loader import Loader
from samerun.run.epochs import Epoch
from samerun.run.feeding import make_loader
from samerun.run.hooks import Hooks
from samerun.run.life import Life
from samerun.run.loop import Loop
from samerun.run.scopes import Evaluation, Scopes
from samerun.run.session import Session
from samerun.run.step import Step
from samerun.run.tracked import Tracked
from samerun.run.values import Values
from samerun.streams.stream import Stream, StreamSource


class Run:
    """A training run that writes itself down. Made by `samerun.start`, used as a context manager.

    What makes or reads training is refused (UsageError SR-RUN-028) before its `with` block and after it.
    """

    def __init__(
        self,
        session: Session,
        tracked: Tracked,
        source: StreamSource,
        loop: Loop,
        scopes: Scopes,
        hooks: Hooks,
        life: Life,
    ) -> None:
        self.values = Values()
        """A loop's own numbers, kept in every checkpoint."""
        self.source = source
        """Opens the named streams of this run."""
        self._session = session
        self._tracked = tracked
        self._loop = loop
        self._scopes = scopes
        self._hooks = hooks
        self._life = life
        tracked.add({"values": self.values})

    # -- facts ---------------------------------------------------------------------------------------------------------

    @property
    def folder(self) -> Path:
        """The run folder."""
        return self._session.folder

    @property
    def identity(self) -> str:
        """16 hex characters shared by all runs that are the same experiment on the same platform."""
        return self._session.identity.id

    @property
    def resumed(self) -> bool:
        """Whether this run goes on from a checkpoint of an earlier process."""
        return self._session.is_resumed

    @property
    def step(self) -> int:
        """Completed steps so far."""
        return self._loop.completed

    # -- before the loop -----------------------------------------------------------------------------------------------

    def track(self, **objects: object) -> None:
        """Name what a checkpoint holds: modules, optimizers, schedulers, loaders, generators, anything with state_dict.

        `gradients=model` keeps the gradients of a module, for windows that span steps. Objects are restored on entry to
        the loop. Raises UsageError SR-RUN-003 inside the loop, SR-RUN-009 for a name that is taken.
        """
        self._life.check_open("run.track")
        self._tracked.add(objects)

    def loader(self, dataset: Any, batch_size: int, **options: Any) -> Loader:
        """Make a loader whose order is a pure function of ("data/order", epoch). Options are those of `Loader`.

        Track it (`run.track(batches=...)`), so that a checkpoint knows the epoch and the position in it.
        """
        self._life.check_open("run.loader")
        return make_loader(
            dataset,
            batch_size,
            options,
            source=self.source,
            loop=self._loop,
            tracked=self._tracked,
            record=self._session.logs.event,
        )

    def input(self, reference: str | Path, *, revision: str | None = None) -> Path:
        """Return the local path of a file, folder or hub id, and put the digest of its content into the identity."""
        self._life.check_open("run.input")
        return self._loop.inputs.add_path(str(reference), revision=revision, is_entered=self._loop.is_entered)

    def stream(self, *parts: str | int, **named: str | int) -> Stream:
        """Open randomness named by these words, under `user/`. A generator that outlives a step must be tracked."""
        self._life.check_open("run.stream")
        return self.source.user(*parts, **named)  # type: ignore[arg-type]

    def hook(self, name: str, every: int, call: Callable[[int], None]) -> None:
        """Call `call(completed_steps)` after the checkpoint of every `every`-th step, at most once for each step."""
        self._life.check_open("run.hook")
        self._hooks.add(name, every, call)

    def restore(self) -> None:
        """Restore tracked objects now instead of on entry to the loop; does nothing for a fresh run."""
        self._life.check_open("run.restore")
        self._loop.enter()

    # -- the loop ------------------------------------------------------------------------------------------------------

    def steps(self, count: int) -> Iterator[Step]:
        """Yield steps until `count` are complete in all, over all attempts."""
        self._life.check_open("run.steps")
        return self._loop.steps(count)

    def epochs(self, count: int) -> Iterator[Epoch]:
        """Yield what is left of `count` epochs."""
        self._life.check_open("run.epochs")
        return (Epoch(self._loop, index, self._tracked) for index in self._loop.epochs(count))

    @contextmanager
    def evaluation(self, name: str = "evaluate") -> Iterator[Evaluation]:
        """Evaluate beside the training: own streams, modes and generators put back, tracked state must not change.

        What is logged becomes columns `name/...` of the step under way; outside a step, `evaluations/<name>.json`.
        """
        self._life.check_open("run.evaluation")
        with self._scopes.evaluation(name, self.step) as evaluation:
            yield evaluation
        pending = self._loop.pending
        if pending is None:
            self._session.write_evaluation(name, self.step, evaluation.numbers)
            return
        for column, value in evaluation.numbers.items():
            pending.log_as(column, value)

    @contextmanager
    def scope(self, name: str) -> Iterator[None]:
        """Do something else beside the training (a diagnostic, a plot) under the same protection."""
        self._life.check_open("run.scope")
        with self._scopes.scope(name, self.step):
            yield

    def stop(self, reason: str = "run.stop()") -> None:
        """Ask for a stop at the next step boundary, with a checkpoint. Safe from any thread."""
        self._loop.request_stop(reason)

    def finish(self) -> None:
        """End the run on purpose: the step under way is settled and the run is complete."""
        self._life.check_open("run.finish")
        self._loop.finish()

    # -- the context ---------------------------------------------------------------------------------------------------

    def __enter__(self) -> Run:
        self._life.begin(self.source)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._life.end(error)
