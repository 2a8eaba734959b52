"""What is counted over all attempts of a run beside its numbers: steps that were made twice, and how often operations
of `exact_except` ran. Kept in every checkpoint, told in the manifest. The operations are counted in tiers/.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any

from samerun.record.manifest import Checked


class Tally:
    """The counts up to now; `restored` goes on from those of a checkpoint."""

    def __init__(self) -> None:
        self.rechecked = 0
        """Steps that were made twice, and gave the same both times (a difference ends the run)."""
        self.trained = 0
        """Steps that this process settled."""
        self._is_nan_seen = False
        self._earlier: dict[str, int] = {}
        self._begin = _excepted()

    def restored(self, extra: Mapping[str, Any]) -> None:
        """Go on from what `as_extra` put into a checkpoint (one of an earlier version may lack it)."""
        self.rechecked = int(extra.get("rechecked", 0))
        self._earlier = {name: int(count) for name, count in extra.get("excepted", {}).items()}
        self._begin = _excepted()

    @property
    def excepted(self) -> dict[str, int]:
        """How often each operation of `exact_except` ran, also in a step that was thrown away or made again."""
        here = {name: count - self._begin.get(name, 0) for name, count in _excepted().items()}
        names = sorted({*self._earlier, *here})
        return {name: self._earlier.get(name, 0) + here.get(name, 0) for name in names}

    def first_nan(self, numbers: Mapping[str, int | float]) -> list[str]:
        """Return the columns of a settled step that are NaN, for the first step of this process that has one."""
        if self._is_nan_seen:
            return []
        found = [column for column, value in numbers.items() if math.isnan(value)]
        self._is_nan_seen = bool(found)
        return found

    def as_extra(self) -> dict[str, Any]:
        """Give what a checkpoint keeps."""
        return {"rechecked": self.rechecked, "excepted": self.excepted}

    def as_facts(self) -> dict[str, Any]:
        """Give the fields of the manifest."""
        return {"checked": Checked(self.rechecked, self.rechecked), "excepted": self.excepted}


def enforced_facts() -> dict[str, Any]:
    """Ask torch what is in force now; empty where nothing was enforced (a loop without torch)."""
    if "samerun.tiers.enforce" not in sys.modules:
        return {}
    from samerun.tiers.probe import probe_enforced

    return probe_enforced()


def _excepted() -> dict[str, int]:
    enforce = sys.modules.get("samerun.tiers.enforce")
    return {} if enforce is None else dict(enforce.excepted_counts())
