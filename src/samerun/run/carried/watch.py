"""What looks on at a run to see which state its steps carry: a look at each boundary, and the walk as one file.

It changes no number: nothing is drawn, assigned or kept alive. How two walks are compared: judge/untracked.py.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from samerun.record.walked import Boundary, Walk
from samerun.run.carried.frames import user_frames
from samerun.run.carried.gradients import GradientUse
from samerun.run.carried.roots import Look
from samerun.run.carried.usage import Usage
from samerun.run.step import Step
from samerun.run.tracked import Tracked


class CarriedWatch:
    """Looks at the beginnings of steps up to `until` completed ones, and writes the walk to `path` after each step."""

    def __init__(self, path: Path, until: int) -> None:
        self._path = path
        self._until = until
        self._tracked: Tracked | None = None
        self._usage: Usage | None = None
        self._use: GradientUse | None = None
        self._boundaries: dict[int, Boundary] = {}
        self._unseen: dict[str, None] = {}

    def attach(self, tracked: Tracked) -> None:
        """Take the tracked objects of the run."""
        self._tracked = tracked

    def enter(self, step: Step) -> None:
        """Look at the beginning of a step, and watch what it does with gradients that are there."""
        if step.micro == 0 and step.index < self._until:
            look = self._look(step.index)
            if look is not None:
                self._use = GradientUse(look.modules)

    def leave(self, step: Step) -> None:
        """Note what became of the gradients; look once more behind the last step."""
        if not step.is_update or step.index >= self._until:
            return
        if self._use is not None:
            self._use.end()
            self._mark(step.index, self._use.used)
        if step.index + 1 == self._until:
            self._look(self._until)
        Walk(self._boundaries, tuple(self._unseen)).write(self._path)

    def _look(self, step: int) -> Look | None:
        if self._tracked is None:
            return None
        frames = user_frames()
        if self._usage is None:
            self._usage = Usage(frames)
        look = Look(self._tracked, frames, self._usage)
        self._boundaries[step] = look.boundary
        self._unseen.update(dict.fromkeys(look.unseen))
        return look

    def _mark(self, step: int, used: set[str]) -> None:
        at = self._boundaries[step]
        leaves = {path: replace(leaf, is_updated=True) if path in used else leaf for path, leaf in at.leaves.items()}
        self._boundaries[step] = Boundary(at.tracked, leaves)
