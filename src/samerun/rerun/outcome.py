"""How a run stands after a process has worked on it, read from its folder: what `train` and `resume` answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from samerun.checkpoint.store import latest
from samerun.errors import UsageError
from samerun.record import layout
from samerun.record.manifest import Status, read_manifest
from samerun.run.launch import steps_trained


@dataclass(frozen=True)
class Outcome:
    """A run's newest facts."""

    folder: Path
    identity: str
    status: str
    step: int
    """Completed steps."""
    state_digest: str | None
    metrics: Mapping[str, Any]
    """The newest value of each metric."""
    checkpoint: str | None
    """The newest complete checkpoint, relative to the run folder."""
    steps_trained: int
    """Steps that this process has trained; those of a step that was thrown away do not count."""

    @property
    def was_complete(self) -> bool:
        """Whether the run was complete before, so that nothing was trained."""
        return self.status == Status.COMPLETED and self.steps_trained == 0 and self.step > 0

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read it from a run folder. Raises DamageError where the record is damaged."""
        manifest = read_manifest(folder)
        newest = latest(folder / layout.CHECKPOINTS)
        return cls(
            folder=folder,
            identity=manifest.identity,
            status=str(manifest.status.value),
            step=manifest.step,
            state_digest=manifest.state_digest,
            metrics=dict(manifest.metrics),
            checkpoint=None if newest is None else f"{layout.CHECKPOINTS}/{newest.path.name}",
            steps_trained=steps_trained(folder),
        )

    def as_json(self) -> dict[str, Any]:
        """Give the fields that scripts may rely on."""
        return {
            "run": self.folder.as_posix(),
            "identity": self.identity,
            "status": self.status,
            "step": self.step,
            "state_digest": self.state_digest,
            "metrics": dict(self.metrics),
            "checkpoint": self.checkpoint,
            "steps_trained": self.steps_trained,
        }


def outcome_of(folders: Sequence[Path], what: str) -> Outcome:
    """Read the outcome of the last run that `what` opened. Raises UsageError SR-TRAIN-003 where it opened none."""
    if not folders:
        raise UsageError(
            "SR-TRAIN-003",
            f"{what} ended without a run",
            evidence=["samerun.start was never called"],
            do="call samerun.start in it, or run it with python",
        )
    return Outcome.read(folders[-1])
