"""External hooks: things a run does to the outside world (an upload, a message), at most once for each step.

A hook runs after the checkpoint of its step, and what was done is listed in the log `hooks_done`, which is never cut: a
run killed between the two does it on resume, and one that repeats a step after a crash does not do it again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from samerun.errors import UsageError
from samerun.record import layout
from samerun.record.rows import RowLog, iter_rows
from samerun.run.history import open_history


@dataclass(frozen=True)
class Hook:
    """`call(completed)` is due whenever the number of completed steps is a multiple of `every`."""

    name: str
    every: int
    call: Callable[[int], None]


class Hooks:
    """The hooks of one run, in the order in which they were added, and the record of what was done."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._hooks: list[Hook] = []
        self._done: dict[str, int] = {}
        self._log: RowLog | None = None

    def add(self, name: str, every: int, call: Callable[[int], None]) -> None:
        """Add a hook. Raises UsageError SR-RUN-006 for a name that is taken or an interval below 1."""
        if every < 1 or any(hook.name == name for hook in self._hooks):
            raise UsageError(
                "SR-RUN-006",
                f"hook '{name}' cannot be added",
                evidence=(f"every = {every}", f"known hooks: {[hook.name for hook in self._hooks]}"),
                do="give each hook a name of its own and an interval of 1 or more steps",
            )
        self._hooks.append(Hook(name, every, call))

    def run_due(self, completed: int, attempt: int) -> list[str]:
        """Do, in order, what is due at this step boundary and was not done; return the names."""
        due = [hook for hook in self._hooks if completed and completed % hook.every == 0]
        if due and self._log is None:
            self._open(attempt)
        done = []
        for hook in due:
            if self._done.get(hook.name, 0) < completed:
                hook.call(completed)
                self._record(hook.name, completed)
                done.append(hook.name)
        return done

    def close(self) -> None:
        if self._log is not None:
            self._log.close()

    def _open(self, attempt: int) -> None:
        for row in iter_rows(self._folder, layout.HOOKS_DONE):
            self._done[str(row["name"])] = max(self._done.get(str(row["name"]), 0), int(row["step"]))
        self._log = open_history(self._folder, layout.HOOKS_DONE, attempt)

    def _record(self, name: str, completed: int) -> None:
        assert self._log is not None
        self._done[name] = completed
        self._log.append({"name": name, "step": completed})
        self._log.sync()
