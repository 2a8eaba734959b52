"""Which step boundary is the best one so far, by the metric that `checkpoint.best` names. Nothing is saved here.

A name that no evaluation gives is refused where that shows, and one that nothing logs is told: never best in silence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from samerun.base.text import did_you_mean
from samerun.config.schema import BestTable
from samerun.errors import ConfigError


class Best:
    """The best boundary of a run by `wanted`; none without it."""

    def __init__(self, wanted: BestTable | None) -> None:
        self.found: dict[str, Any] | None = None
        """`{"metric", "step", "value"}` of the best boundary so far; its step is the checkpoint's."""
        self._wanted = wanted
        self._is_seen = False
        self._columns: set[str] = set()
        self._is_told = False

    def restored(self, stored: dict[str, Any] | None) -> None:
        """Go on from the best boundary that a checkpoint stored (infinities are text in JSON), for the same metric."""
        if stored is None or (self._wanted is not None and self._wanted.metric != stored["metric"]):
            self.found = None
            return
        self.found, self._is_seen = {**stored, "value": float(stored["value"])}, True

    def note(self, completed: int, numbers: Mapping[str, int | float]) -> bool:
        """Take the numbers of the step just settled; say whether this boundary is now the best one. NaN never is."""
        if self._wanted is None:
            return False
        if self._wanted.metric not in numbers:
            self._columns.update(numbers)
            return False
        self._is_seen = True
        value = float(numbers[self._wanted.metric])
        if math.isnan(value) or not self._is_better(value):
            return False
        self.found = {"metric": self._wanted.metric, "step": completed, "value": value}
        return True

    def unseen(self) -> str | None:
        """Say once, in words, that steps logged other columns than the one that decides; else None."""
        if self._wanted is None or self._is_seen or self._is_told or not self._columns:
            return None
        self._is_told = True
        metric = self._wanted.metric
        return f"checkpoint.best: no step has logged '{metric}' so far; {did_you_mean(metric, self._columns)}"

    def _is_better(self, value: float) -> bool:
        if self.found is None or self._wanted is None:
            return True
        than: float = self.found["value"]
        return value > than if self._wanted.better == "higher" else value < than


def check_evaluation(wanted: BestTable | None, name: str, columns: Mapping[str, Any]) -> None:
    """Refuse (ConfigError SR-RUN-025) an evaluation `name` that does not give the column which decides what is best."""
    if wanted is None or not wanted.metric.startswith(f"{name}/") or wanted.metric in columns:
        return
    raise ConfigError(
        "SR-RUN-025",
        f"checkpoint.best: the evaluation '{name}' gives no '{wanted.metric}'",
        evidence=(f"it gives: {', '.join(columns) or 'nothing'}", did_you_mean(wanted.metric, columns)),
        do="name one of these in checkpoint.best.metric, or log it in this evaluation",
    )
