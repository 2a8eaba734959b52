"""How one process of a chain is started: how far, with which settings, and what comes to it. Which legs: splits.py.

A stop is asked for on the command line; inside a step, and in one of several runs of a script, by a signal.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from samerun.errors import SamerunError
from samerun.record.reader import RunRecord
from samerun.rerun.child import is_of_its_surroundings
from samerun.rerun.flips import other_workers
from samerun.rerun.made import Order
from samerun.rerun.mishap import Mishap
from samerun.rerun.series import Series
from samerun.rerun.splits import Leg
from samerun.rerun.whole import Whole, meant_of


@dataclass
class Resuming:
    """How the processes of one chain are started."""

    series: Series
    whole: Whole
    settings: tuple[str, ...]
    """In force in every process: a cadence of checkpoints where the run has none."""
    other_workers: str | None
    """A setting of another number of loader processes; null where there is none."""
    micro: int

    refused: dict[Leg, str] = field(default_factory=dict)
    """Why a leg had no other workers after all: data that no further process can get at."""

    def go(self, name: str, number: int, leg: Leg) -> RunRecord:
        """Go on with the run called `name` as `leg` says, and return the run that is meant."""
        is_single = len(self.whole.runs) == 1
        stop = leg.stop if is_single and leg.kind != "kill" else None
        if leg.stop is None:
            stop = self.whole.stop_after
        order = Order(stop, self.settings, mishap=self._mishap(leg, is_single))
        if leg.has_other_workers and self.other_workers is not None:
            try:
                return self._train(name, number, replace(order, settings=(*self.settings, self.other_workers)))
            except SamerunError as error:
                if not is_of_its_surroundings(error):
                    raise
                self.series.say(f"not with {self.other_workers}: {error.what}")
                self.refused[leg] = f"not with {self.other_workers}: {error.code}, {error.what}"
        return self._train(name, number, order)

    def _train(self, name: str, number: int, order: Order) -> RunRecord:
        self.series.train(name, 1 + number % 2, order, is_fresh=False)
        return meant_of(self.series.runs_of(name), self.whole.record)

    def _mishap(self, leg: Leg, is_single: bool) -> Mishap | None:
        if leg.stop is None or (is_single and leg.kind == "stop"):
            return None
        # Of several runs, a stop after so many steps would end the first: the signal is for the one that is meant.
        kind: Literal["kill", "stop"] = "kill" if leg.kind == "kill" else "stop"
        return Mishap(leg.stop - 1, kind, self.whole.number, self.micro)

    def workers_of(self, leg: Leg) -> str:
        """Return the setting of other workers that was in force in a leg, if any, or why it was not."""
        if not leg.has_other_workers:
            return ""
        return self.refused.get(leg) or self.other_workers or ""


def resuming_of(series: Series, whole: Whole, settings: tuple[str, ...]) -> Resuming:
    """Return how the chain of a series is gone: by what its recipe has; a script has no settings to be flipped."""
    config = series.making.config()
    if config is None:
        return Resuming(series, whole, settings, None, 0)
    is_accumulating = int(config.plain.get("accumulate", 1)) > 1
    return Resuming(series, whole, settings, other_workers(config), int(is_accumulating))
