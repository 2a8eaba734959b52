"""The runs of a name, each compared with the facts of a start. A pure reading of the runs that exist.

Which of them a start goes on with is choose.py's, making folders and taking locks open.py's work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samerun.errors import DamageError, MissingError
from samerun.record import layout
from samerun.record.find import find_runs
from samerun.record.identity import Identity, Moved, moved
from samerun.record.reader import RunRecord
from samerun.record.source import USER, late_meaning


@dataclass(frozen=True)
class Facts:
    """What is known when a run is opened; the seed may be left to the run that is continued."""

    experiment: Mapping[str, Any]
    platform: Mapping[str, Any]
    seed: int | None
    root: Path | None = None
    """Project root, to find again what a run imported late."""

    def identity(self, seed: int) -> Identity:
        """Return the opening identity under a seed."""
        return Identity({**self.experiment, "seed": str(seed)}, self.platform)


@dataclass(frozen=True)
class Found:
    """An existing run that a start may mean, and what moved since it was opened (nothing: it is the same run)."""

    record: RunRecord
    seed: int
    differences: tuple[Moved, ...]


def compare(record: RunRecord, facts: Facts) -> Found:
    """Compare a run's facts with those of now. Raises DamageError for a damaged record."""
    seed = int(record.manifest.seed) if facts.seed is None else facts.seed
    now = _with_late(facts.identity(seed), record, facts.root)
    return Found(record, seed, tuple(moved(_opening(record, now), now)))


def runs_named(runs: Path, name: str) -> Sequence[RunRecord]:
    """List the readable runs of this name, newest first; a damaged one of another name hides nothing."""
    records = []
    for record in find_runs(runs):
        parts = layout.split_folder_name(record.name)
        if parts is None or parts[0] != name:
            continue
        try:
            assert record.manifest and record.identity
        except (DamageError, MissingError):
            continue
        records.append(record)
    return records[::-1]


def _opening(record: RunRecord, now: Identity) -> Identity:
    """Return the recorded facts without the inputs that the loop named after the opening; it names them again."""
    experiment = dict(record.identity.experiment)
    if "inputs" not in now.experiment:
        experiment.pop("inputs", None)
    return Identity(experiment, record.identity.platform)


def _with_late(now: Identity, record: RunRecord, root: Path | None) -> Identity:
    """Add to the facts of now what the run imported after its opening, as those files are now.

    Those are the recorded files that the static closure does not show. (The manifest lists them too, but a kill may
    have come between the two documents.)
    """
    recorded = record.identity.experiment.get("source", {}).get(USER, {})
    if root is None or "source" not in now.experiment:
        return now
    source = now.experiment["source"]
    found = {label: late_meaning(label, root) for label in recorded if label not in source[USER]}
    user = {**source[USER], **{label: meaning for label, meaning in found.items() if meaning is not None}}
    return Identity({**now.experiment, "source": {**source, USER: user}}, now.platform)
