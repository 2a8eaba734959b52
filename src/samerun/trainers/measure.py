"""Measure a checkpoint: its state in a trainer that is built without a run, evaluated on one split. Nothing is trained
and nothing is written; reading checkpoints is checkpoint/read.py's work.
"""

from __future__ import annotations

from typing import Any

from samerun.checkpoint.read import Checkpoint
from samerun.data.loader import Loader
from samerun.errors import NoMatchError
from samerun.run.tracked import Tracked
from samerun.streams import ambient
from samerun.streams.stream import StreamSource
from samerun.trainers.fit import EVALUATION
from samerun.trainers.trainer import Plan


def measure_checkpoint(
    plan: Plan, checkpoint: Checkpoint, seed: int, split: str, limit: int | None = None
) -> dict[str, float]:
    """Return the metrics of a checkpoint's weights on at most `limit` items of a split. No generator is moved.

    Raises NoMatchError SR-TRAINER-014 for a split that the data does not have, RefusedError where the checkpoint does
    not fit the recipe.
    """
    if split not in plan.splits:
        raise NoMatchError(
            "SR-TRAINER-014",
            f"--split: there is no split '{split}'",
            evidence=[f"splits: {', '.join(plan.splits)}"],
            do=f"--split {plan.splits[0]}",
        )
    source = StreamSource(seed)
    with ambient.scope(source.open("ambient/evaluation/{name}/{step}", name=EVALUATION, step=checkpoint.step)):
        trainer = plan.start(_WithoutRun(source))
        tracked = Tracked.of(trainer.state())
        trees = {name: checkpoint.tree(name) for name in tracked.names if name in checkpoint.components}
        tracked.restore(trees, checkpoint.digests, checkpoint.path.name)
        return dict(trainer.evaluate(split, limit))


class _WithoutRun:
    """What a trainer is built in when nothing is trained: streams and a loader, no run."""

    def __init__(self, source: StreamSource) -> None:
        self.source = source

    def loader(self, dataset: Any, batch_size: int, **options: Any) -> Loader:
        return Loader(dataset, batch_size, source=self.source, **options)
