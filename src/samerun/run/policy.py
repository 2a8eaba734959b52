"""The aside settings of a live run, resolved from its config tables: when to save, what to keep, how to watch.

Deciding is cadence.py's and checkpoint/'s work; here words of a recipe become numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from samerun.base.clock import parse_duration
from samerun.checkpoint.retain import RetentionPolicy
from samerun.config.schema import BestTable, CheckpointTable, TrailTable
from samerun.errors import ConfigError
from samerun.run.cadence import Cadence


@dataclass(frozen=True)
class SavePolicy:
    """When checkpoints are written and which stay. `state_every` is steps between state digests, `None` for auto."""

    cadence: Cadence
    retention: RetentionPolicy
    best: BestTable | None = None
    is_asynchronous: bool = False
    state_every: int | None = None


def save_policy(checkpoint: CheckpointTable, trail: TrailTable) -> SavePolicy:
    """Resolve the two tables."""
    every = checkpoint.every
    cadence = Cadence(every, None) if isinstance(every, int) else Cadence(None, parse_duration(every))
    retention = RetentionPolicy(
        keep=checkpoint.keep, keep_every=checkpoint.keep_every, keep_weights=checkpoint.keep_weights
    )
    state_every = None if trail.state_every == "auto" else trail.state_every
    return SavePolicy(cadence, retention, checkpoint.best, checkpoint.asynchronous, state_every)


def loop_policy(checkpoint: Mapping[str, Any] | None, trail: Mapping[str, Any] | None) -> SavePolicy:
    """Resolve what a plain loop passes to `samerun.start`; all problems at once as ConfigError SR-RUN-018."""
    try:
        return save_policy(CheckpointTable(**(checkpoint or {})), TrailTable(**(trail or {})))
    except ValidationError as error:
        lines = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        raise ConfigError(
            "SR-RUN-018",
            "samerun.start: checkpoint= or trail= cannot be understood",
            evidence=lines,
            do='write checkpoint={"every": 100, "keep": 3}; the keys are those of a recipe\'s checkpoint: table',
        ) from None
