"""The runtime guard around one run: it stands while the run is live, and what it found becomes events.

What counts as a finding is streams/guard.py's; a run without a guard has none of this.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from samerun.base.text import plural
from samerun.run.arguments import check_guard
from samerun.run.session import Session
from samerun.streams import guarded
from samerun.streams.guard import Guard


def guard_for(mode: str | None, root: Path) -> Guard | None:
    """Return the guard of a run: the one that stands around its script already, or a new one."""
    checked, around = check_guard(mode), guarded.standing()
    if checked is None:
        return None
    return around if around is not None and around.is_outside else Guard(checked, root)


@contextmanager
def guard_around(mode: str | None, root: Path) -> Iterator[None]:
    """Let a guard stand around a whole script: what it draws before its run begins decides the run, too."""
    checked = check_guard(mode)
    with nullcontext() if checked is None else guarded.guarding(Guard(checked, root)):
        yield


class Guarding:
    """Raises a run's guard, lowers it, and writes down what it found."""

    def __init__(self, guard: Guard, session: Session, *, is_quiet: bool) -> None:
        self._guard = guard
        self._session = session
        self._is_quiet = is_quiet
        self._is_around = guard is guarded.standing()
        """Whether the guard stood before the run, and goes on standing behind it."""

    def begin(self) -> None:
        """Let the guard stand. Raises RefusedError for what it saw before the run."""
        guarded.raise_guard(self._guard)
        self._guard.begin()

    def end(self) -> None:
        """Write down what was found. Raises RefusedError for a finding that the loop has not heard of yet."""
        try:
            self._guard.end()
        finally:
            self._record()
        self._guard.findings.check()

    def lower(self) -> None:
        """Put back all that the guard replaced."""
        self._guard.findings.failure = None
        self._guard.leave()
        if not self._is_around:
            guarded.lower_guard(self._guard)

    def _record(self) -> None:
        found = self._guard.findings.take()
        times = sum(one.count for one in found)
        # A process that came to a completed run leaves its logs as they were.
        if self._session.logs.is_begun or not self._session.is_resumed:
            for one in found:
                self._session.logs.event("guard", step=one.step, **one.facts())
            self._session.logs.event("guarded", mode=self._guard.findings.mode, sites=len(found), times=times)
        if found and not self._is_quiet:
            where = f"at {plural(len(found), 'call site')}, {plural(times, 'time')}"
            sys.stderr.write(
                f"samerun: guard: {where}; first {found[0].what}, {found[0].where()}; "
                f"all: samerun show {self._session.folder.as_posix()}\n"
            )
