"""When a checkpoint is due: a pure decision over steps and seconds. Writing it is saving.py's work."""

from __future__ import annotations

from dataclasses import dataclass

WALL_SHARE = 0.05
"""A time-based cadence may spend at most this share of wall time on saving."""


@dataclass(frozen=True)
class Cadence:
    """Every so many steps, or every so many seconds (never both)."""

    every_steps: int | None
    every_seconds: float | None

    def is_due(self, completed: int, last_saved: int, since_save_seconds: float, save_seconds: float) -> bool:
        """Say whether a checkpoint is due after `completed` steps.

        `since_save_seconds` is the time since the last save ended, `save_seconds` what the slowest save took.
        """
        if completed == last_saved:
            return False
        if self.every_steps is not None:
            return completed % self.every_steps == 0
        if self.every_seconds is None:
            return False
        return since_save_seconds >= max(self.every_seconds, save_seconds / WALL_SHARE)
