"""What looks on at a loop: a recorder of its bodies, the guard, a stopwatch. Most loops have none of them.

None may change a number. What each does with what it sees is its own; here the loop tells all of them where it stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from samerun.run.phases import Phases
from samerun.streams.guard import Guard

if TYPE_CHECKING:
    from samerun.run.body import BodyWatch


@dataclass(frozen=True)
class Onlookers:
    """The onlookers of one loop."""

    body: BodyWatch | None = None
    guard: Guard | None = None
    phases: Phases | None = None

    def begin(self, step: int) -> None:
        """Tell that a step begins, before anything of it is there."""
        if self.guard is not None:
            self.guard.cover(step)
        if self.phases is not None:
            self.phases.begin()

    def settle(self) -> None:
        """Tell that a step is about to be settled. Raises RefusedError for what the guard found in another thread."""
        if self.guard is not None:
            self.guard.findings.check()

    def rest(self, completed: int) -> None:
        """Tell that control goes to the user while no step is under way: no stream stands behind what is drawn now."""
        if self.guard is not None:
            self.guard.rest(completed)


NOBODY = Onlookers()
