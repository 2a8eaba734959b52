"""The seam between a loop and what it trains. A trainer has no loop, opens no file and keeps no record: fit.py turns
the wheel and the run writes down.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from samerun.trainers.early_stop import EarlyStop

Numbers = Mapping[str, Any]
"""Names to numbers: floats, integers, or tensors with one element that are read at the end of the step."""


class StepScope(Protocol):
    """What a trainer may know of the step it is in (`samerun.run.step.Step`)."""

    @property
    def index(self) -> int:
        """Completed steps before this one, from 0."""
        ...

    def micros(self, count: int) -> Iterator[int]:
        """Iterate over micro-batches 0..count-1, each with ambient randomness of its own."""
        ...


class Trainer(Protocol):
    """State, the next batch, one step of learning, and an evaluation. Each call returns; none of them loops on."""

    def state(self) -> dict[str, object]:
        """Return every object that must survive a restart, by name: what `run.track` gets."""
        ...

    def collect(self, step: StepScope) -> Any:
        """Return what `learn` needs next: a batch of a data set, or experience made now."""
        ...

    def learn(self, step: StepScope, batch: Any) -> Numbers:
        """Make one optimizer step on `batch`. A function of the tracked state, the batch and the step's randomness:
        called again from the same state it must end in the same state, bit for bit.
        """
        ...

    def evaluate(self, split: str, limit: int | None = None) -> Mapping[str, float]:
        """Measure the current weights on a split, at most `limit` items of it, without changing any state."""
        ...


class Loaders(Protocol):
    """The part of a run that a trainer's construction stands on (`samerun.run.run.Run`)."""

    @property
    def source(self) -> Any:
        """The `StreamSource` of the run's master seed."""
        ...

    def loader(self, dataset: Any, batch_size: int, **options: Any) -> Any:
        """Make a loader whose order is a pure function of ("data/order", epoch)."""
        ...


class Plan(Protocol):
    """A checked recipe with its data read, before any run folder exists: bad input has been refused by now."""

    @property
    def inputs(self) -> tuple[Path, ...]:
        """Files and folders that were read: the digests of their content belong to the identity."""
        ...

    @property
    def splits(self) -> tuple[str, ...]:
        """Names that `Trainer.evaluate` takes; the first is evaluated during training."""
        ...

    @property
    def early_stop(self) -> EarlyStop | None:
        """What may end the run before its last step: tracked beside the trainer's own state."""
        ...

    def start(self, run: Loaders, weights: Mapping[str, Any] | None = None) -> Trainer:
        """Build the trainer inside a run; weights that are not given are drawn from the run's streams."""
        ...
