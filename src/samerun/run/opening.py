"""`Opening`: all that decides what a run is and how it is watched, before a folder is chosen. Plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from samerun.record.capture import Capture
from samerun.record.manifest import Entry, Parent
from samerun.record.resolved import ResolvedConfig
from samerun.record.source import Source
from samerun.run.find import Facts
from samerun.run.policy import SavePolicy
from samerun.run.sinks import Sink


@dataclass(frozen=True)
class Opening:
    """All that decides what a run is and how it is watched, before a folder is chosen."""

    name: str
    runs: Path
    facts: Facts
    config: ResolvedConfig
    source: Source
    entry: Entry
    policy: SavePolicy
    submitted: bytes | None = None
    steps: int | None = None
    tier: str = "exact"
    exact_except: tuple[str, ...] = ()
    parent: Parent | None = None
    grade: str = "full"
    sinks: Sequence[Sink] = ()
    captured: Capture | None = None
    """What is recorded beside the modules that run; None until a fresh run is certain."""
    local: Mapping[str, Any] = field(default_factory=dict)
    """Absolute paths of this machine, for `resume`; kept in local.json, which never leaves it."""
