"""Ratios of two times that were taken in turns, with a bootstrap interval over the blocks. scipy does the drawing.

The times of one block were taken side by side, so a slow moment of the machine stands on both sides of its ratio.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from samerun.errors import MissingError
from samerun.streams.source import Streams

CONFIDENCE = 0.95
RESAMPLES = 2000


@dataclass(frozen=True)
class Ratio:
    """A geometric mean of block ratios with its interval. Seconds are medians over blocks."""

    ratio: float
    low: float
    high: float
    seconds_with: float
    seconds_without: float

    @property
    def is_noise(self) -> bool:
        """Whether 1 lies in the interval: these blocks show no difference."""
        return self.low <= 1.0 <= self.high

    def as_json(self) -> dict[str, Any]:
        """Return the fields that scripts may rely on."""
        return {**asdict(self), "is_noise": self.is_noise}


def check_scipy() -> None:
    """Raise MissingError SR-PRICE-004 where scipy is not installed."""
    try:
        import scipy.stats  # noqa: F401
    except ImportError:
        raise MissingError(
            "SR-PRICE-004",
            "an interval needs scipy, which is not installed",
            do="pip install 'samerun[stats]'",
        ) from None


def ratio_of(with_it: Sequence[float], without: Sequence[float], name: str) -> Ratio:
    """Compare times block by block, one number a block on each side; `name` names the stream of the resamples."""
    logs = np.log(np.asarray(with_it) / np.asarray(without))
    low, high = _interval(logs, name)
    return Ratio(
        ratio=math.exp(float(logs.mean())),
        low=math.exp(low),
        high=math.exp(high),
        seconds_with=float(np.median(with_it)),
        seconds_without=float(np.median(without)),
    )


def _interval(logs: np.ndarray[Any, Any], name: str) -> tuple[float, float]:
    from scipy.stats import bootstrap

    if float(np.ptp(logs)) == 0.0:
        return float(logs[0]), float(logs[0])
    found = bootstrap(
        (logs,),
        np.mean,
        confidence_level=CONFIDENCE,
        n_resamples=RESAMPLES,
        method="percentile",
        rng=Streams(seed=0).stream("price", "resamples", name).numpy(),
    ).confidence_interval
    return float(found.low), float(found.high)


def medians(steps: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the median seconds of each phase over the steps of a block, and of the whole step under `step`."""
    phases = sorted({phase for step in steps for phase in step})
    found = {phase: float(np.median([step.get(phase, 0.0) for step in steps])) for phase in phases}
    return {**found, "step": float(np.median([sum(step.values()) for step in steps]))}
