"""The aside settings of a live run, resolved from its config tables: when to save, what to keep, how to watch.

Deciding is cadence.py's and checkpoint/'s work; here words of a recipe become numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from samerun.base.clock import parse_duration
from samerun.checkpoint.retain import RetentionPolicy
from samerun.config.schema import BestTable, CheckpointTable, TrailTable
from samerun.errors import ConfigError
from samerun.run.cadence import Cadence

T = TypeVar("T", bound=BaseModel)


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
    problems: list[str] = []
    tables = (
        _table(CheckpointTable, "checkpoint", checkpoint or {}, problems),
        _table(TrailTable, "trail", trail or {}, problems),
    )
    if tables[0] is not None and tables[1] is not None:
        return save_policy(tables[0], tables[1])
    raise ConfigError(
        "SR-RUN-018",
        "samerun.start: checkpoint= or trail= cannot be understood",
        evidence=problems,
        do='write checkpoint={"every": 100, "keep": 3}; the keys are those of a recipe\'s checkpoint: table',
    )


def _table(kind: type[T], name: str, given: Mapping[str, Any], problems: list[str]) -> T | None:
    try:
        return kind.model_validate(dict(given))
    except ValidationError as error:
        problems.extend(f"{name}.{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        return None
