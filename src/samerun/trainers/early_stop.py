"""Early stopping: a decision made from evaluations, so their cadence is part of a run's identity.

The decision is a pure function of the metrics seen so far, which are tracked state. Ending the run is fit.py's work.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from samerun.errors import ConfigError
from samerun.trainers.config import EarlyStopTable


class EarlyStop:
    """Counts evaluations without an improvement of at least `min_delta`."""

    def __init__(self, config: EarlyStopTable) -> None:
        self._config = config
        self.best: float | None = None
        self.evaluations_since_best = 0

    def should_stop(self, columns: Mapping[str, float]) -> bool:
        """Take in the newest evaluation; return whether `patience` evaluations brought no improvement.

        NaN is never an improvement. Raises ConfigError SR-TRAINER-008 when the metric is not among the columns.
        """
        if self._config.metric not in columns:
            raise ConfigError(
                "SR-TRAINER-008",
                f"early_stop.metric: no evaluation gives '{self._config.metric}'",
                evidence=[f"evaluated: {', '.join(columns)}"],
                do="-s early_stop.metric=..., one of the columns above",
            )
        value = columns[self._config.metric]
        if self._is_improvement(value):
            self.best, self.evaluations_since_best = value, 0
        else:
            self.evaluations_since_best += 1
        return self.evaluations_since_best >= self._config.patience

    def _is_improvement(self, value: float) -> bool:
        if math.isnan(value):
            return False
        if self.best is None:
            return True
        gain = value - self.best if self._config.better == "higher" else self.best - value
        return gain > self._config.min_delta

    def state_dict(self) -> dict[str, Any]:
        """Return the best value and how long ago it was."""
        return {"best": self.best, "evaluations_since_best": self.evaluations_since_best}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Put back what state_dict gave."""
        self.best = state["best"]
        self.evaluations_since_best = int(state["evaluations_since_best"])
