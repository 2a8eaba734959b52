"""The user's part of a step, and the seam for what looks on while it is made.

A recorder of operations (rerun/) hangs itself here; a run that nobody looks at has none. What looks on must not change
a number. When a step begins and is settled is loop.py's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from samerun.run.step import Step

if TYPE_CHECKING:
    from samerun.run.loop import Loop
    from samerun.run.tracked import Tracked


class BodyWatch(Protocol):
    """Looks on at the body of each step; a step of several micro-batches has several bodies."""

    def attach(self, tracked: Tracked) -> None:
        """Take the tracked objects of the run, before its first step."""

    def enter(self, step: Step) -> None:
        """Note that the user's part begins: the global generators are set, nothing is drawn yet."""

    def leave(self, step: Step) -> None:
        """Note that the user's part has ended, also by an exception or a `break`; nothing is settled yet."""


class Body:
    """The stretch of a step that is the user's: `with Body(loop, step): yield step`.

    Leaving the generator here (`break`) settles nothing of the step.
    """

    __slots__ = ("_loop", "_step")

    def __init__(self, loop: Loop, step: Step) -> None:
        self._loop = loop
        self._step = step

    def __enter__(self) -> None:
        self._step.is_in_body = True
        if self._loop.watch.body is not None:
            self._loop.watch.body.enter(self._step)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._step.is_in_body = False
        if self._loop.watch.body is not None:
            self._loop.watch.body.leave(self._step)
        if kind is GeneratorExit and self._loop.pending is self._step:
            self._loop.pending = None
            self._loop.watch.rest(self._loop.completed)
