"""Checkpoints of a live run: when one is due, what goes in, and what is kept afterwards.

The bytes on disk are checkpoint/'s work, the decision when is cadence.py's, which boundary is best best.py's; this file
brings them together.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from samerun.base import clock, files
from samerun.checkpoint.format import step_name
from samerun.checkpoint.read import Checkpoint, read_checkpoint
from samerun.checkpoint.retain import retain
from samerun.checkpoint.save import Saver
from samerun.checkpoint.store import latest, list_steps, newest_good, sweep_rubble
from samerun.record.marks import read_marks
from samerun.run.best import Best
from samerun.run.policy import SavePolicy
from samerun.state.tree import pack


class Saving:
    """Writes checkpoints of one run folder."""

    def __init__(self, folder: Path, policy: SavePolicy, *, is_fallback: bool = False) -> None:
        self.policy = policy
        self.slowest_seconds = 0.0
        self.best = Best(policy.best)
        self.passed_over: tuple[str, ...] = ()
        """What was wrong with newer checkpoints that a fallback passed over."""
        self._folder = folder
        self._is_fallback = is_fallback
        self._saver = Saver(folder, is_asynchronous=policy.is_asynchronous)
        self._last_saved = -1
        self._ended = clock.monotonic()

    def newest(self) -> Checkpoint | None:
        """Read the newest checkpoint, verified; `None` when there is none. Damage is an error without fallback."""
        found = newest_good(self._folder) if self._is_fallback else latest(self._folder)
        if found is None:
            return None
        self.passed_over = found.skipped
        return read_checkpoint(found.path)

    def restored(self, checkpoint: Checkpoint, attempt: Path) -> None:
        """Take over what the attempt that wrote this checkpoint knew; later (damaged) ones move to `attempt`."""
        self._last_saved = checkpoint.step
        self.best.restored(checkpoint.extra["best"])
        for step in list_steps(self._folder):
            if step > checkpoint.step:
                files.make_dir(attempt)
                files.rename(self._folder / step_name(step), attempt / step_name(step))
        sweep_rubble(self._folder)

    def is_due(self, completed: int) -> bool:
        """Say whether the cadence asks for a checkpoint at this boundary."""
        since = clock.monotonic() - self._ended
        return self.policy.cadence.is_due(completed, self._last_saved, since, self.slowest_seconds)

    def is_saved(self, completed: int) -> bool:
        """Say whether this boundary has a checkpoint (on disk, or on its way there)."""
        return self._last_saved == completed

    def save(
        self, completed: int, trees: Mapping[str, Any], *, identity: str, logs: Mapping[str, Any], extra: dict[str, Any]
    ) -> None:
        """Write the checkpoint of this boundary, then apply retention."""
        began = clock.monotonic()
        if (enforced := sys.modules.get("samerun.tiers.enforce")) is not None:
            enforced.still_enforced()  # a library may have switched a flag back: refused here, by name
        packed = {name: pack(tree) for name, tree in trees.items()}
        # The best boundary of now: when a background save ends, `self.best` may be one that is not on disk yet.
        best = self.best.found
        self._saver.save(
            completed,
            packed,
            identity=identity,
            logs=logs,
            extra={**extra, "best": best},
            after=lambda: self._retain(None if best is None else best["step"]),
        )
        self._last_saved = completed
        self._ended = clock.monotonic()
        self.slowest_seconds = max(self.slowest_seconds, self._ended - began)

    def join(self) -> None:
        """Wait until the checkpoint under way is on disk; an error it met is raised here."""
        self._saver.join()

    def _retain(self, best: int | None) -> None:
        pinned = read_marks(self._folder.parent).pins
        retain(self._folder, self.policy.retention, best=best, pinned=pinned)
