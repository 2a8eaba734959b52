"""The two ends of a live run: what happens on entering its `with` block, and what each way out of it means."""

from __future__ import annotations

from typing import Any

from samerun.errors import RefusedError, Stopped, UsageError
from samerun.record.manifest import Status
from samerun.run.alone import say_last_words
from samerun.run.guarding import Guarding
from samerun.run.launch import note_trained
from samerun.run.lifecycle import SignalWatch, StopSwitch
from samerun.run.loop import Loop
from samerun.run.operations import Operations
from samerun.run.session import Session
from samerun.run.settle import Settler
from samerun.streams import ambient
from samerun.streams.stream import StreamSource

_BEFORE, _INSIDE, _AFTER = "was not entered", "is under way", "has ended"
"""Where a run stands to its block, as a refusal says it."""


class Life:
    """Signals, global generators and the final status of one run."""

    def __init__(
        self,
        session: Session,
        settler: Settler,
        loop: Loop,
        switch: StopSwitch,
        operations: Operations,
        guarding: Guarding | None = None,
        *,
        is_alone: bool,
    ) -> None:
        self._session = session
        self._settler = settler
        self._loop = loop
        self._operations = operations
        self._guarding = guarding
        self._is_alone = is_alone
        self._stands = _BEFORE
        self._watch = SignalWatch(switch, on_abort=session.abort)
        self._outer = ambient.capture()

    def begin(self, source: StreamSource) -> None:
        """Watch for signals, and give the global generators to `ambient/setup` until the first step."""
        self._refuse_again()
        self._watch.install()
        if self._guarding is not None:
            try:
                self._guarding.begin()
            except BaseException as error:
                self.end(error)
                raise
        ambient.set_globals(source.open("ambient/setup"))
        self._stands = _INSIDE

    def _refuse_again(self) -> None:
        if self._stands != _BEFORE:
            raise UsageError(
                "SR-RUN-028",
                f"the run '{self._session.name}' was entered a second time",
                evidence=(f"its block {self._stands}",),
                do="call samerun.start again: it goes on with the run",
            )

    def check_open(self, what: str) -> None:
        """Raise UsageError SR-RUN-028 unless the run's `with` block is under way.

        Outside of it no generator is set, no signal is watched, and nobody would write how the run ended.
        """
        if self._stands == _INSIDE:
            return
        raise UsageError(
            "SR-RUN-028",
            f"{what} outside of the run's `with` block",
            evidence=(f"the block of '{self._session.name}' {self._stands}",),
            do="use: with samerun.start(...) as run:",
        )

    def end(self, error: BaseException | None) -> None:
        """Close the folder under the status that this way out means; put signals and generators back in any case."""
        with self._operations.doing("close"):
            self._stands = _AFTER
            unheard = self._end_guard(error)
            try:
                self._close(error or unheard)
            finally:
                self._loop.leave()
                self._watch.uninstall()
                ambient.put_back(self._outer)
                if self._guarding is not None:
                    self._guarding.lower()
            if unheard is not None:
                raise unheard

    def _end_guard(self, error: BaseException | None) -> BaseException | None:
        """Write down what the guard found; return its refusal where the loop ended without having heard of it."""
        try:
            if self._guarding is not None:
                self._guarding.end()
        except RefusedError as refusal:
            return refusal if error is None else None
        return None

    def _close(self, error: BaseException | None) -> None:
        if self._session.is_resumed and not self._session.logs.is_begun:
            self._session.leave()
            return
        status, trained = self._status(error), self._settler.tally.trained
        note_trained(self._session.folder, trained)
        facts: dict[str, Any] = {}
        try:
            if self._session.logs.is_begun:
                facts = {**self._settler.close(is_whole=self._is_whole(error)), "steps": self._loop.target}
        except BaseException as problem:
            self._session.close(Status.FAILED, reason=_reason(problem), facts={})
            raise
        self._session.close(status, reason=_reason(error), facts=facts)
        if self._is_alone:
            is_old = status is Status.COMPLETED and self._session.is_resumed and trained == 0
            say_last_words(
                self._session.name, status, self._loop.completed, str(self._session.folder), was_complete=is_old
            )

    def _is_whole(self, error: BaseException | None) -> bool:
        """Whether tracked objects stand at a step boundary: a loop that came to its end, or a stop."""
        return isinstance(error, Stopped) or (error is None and self._loop.is_exhausted)

    def _status(self, error: BaseException | None) -> Status:
        if isinstance(error, Stopped):
            return Status.STOPPED
        if isinstance(error, KeyboardInterrupt):
            return Status.INTERRUPTED
        if error is not None:
            return Status.FAILED
        if not self._loop.is_entered:
            return Status.CLOSED_BEFORE_TRAINING
        return Status.COMPLETED if self._loop.is_exhausted else Status.STOPPED


def _reason(error: BaseException | None) -> str | None:
    if error is None:
        return None
    return str(error) if isinstance(error, Stopped) else f"{type(error).__name__}: {error}"
