"""Early stopping: a decision made from evaluations, so their cadence is part of a run's identity.

The decision is a pure function of the metrics seen so far, which are tracked state. Ending the run is fit.py's work.
"""

from __future__ import annotations

import math
from typing import Any

from samerun.trainers.config import EarlyStopTable


class EarlyStop:
    """Counts evaluations without an improvement of at least `min_delta`."""

    def __init__(self, config: EarlyStopTable) -> None:
        self._config = config
        self.best: float | None = None
        self.evaluations_since_best = 0

    def should_stop(self, value: float) -> bool:
        """Take in the newest value of the metric; return whether `patience` evaluations brought no improvement.

        NaN is never an improvement.
        """
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
