"""What is promised about arithmetic, and the number of threads that goes with it.

Deciding only: setting flags is enforce.py's work, asking torch what it did is probe.py's.
"""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Literal

from samerun.base.text import did_you_mean
from samerun.errors import ConfigError

THREADS_LIMIT = 1024
"""More threads than any processor has cores today: above it, starting them fails, and in the middle of a run."""


class Tier(StrEnum):
    """A promise about arithmetic on one platform."""

    EXACT = "exact"
    """Same bits on the same platform."""
    FAST = "fast"
    """Same draws, same data order, same records; kernels are free."""


def tier_of(name: str) -> Tier:
    """Return the tier of that name. Raises ConfigError SR-TIER-001 with the nearest name."""
    try:
        return Tier(name)
    except ValueError:
        known = [str(tier) for tier in Tier]
        raise ConfigError(
            "SR-TIER-001",
            f"tier {name!r} does not exist",
            evidence=[did_you_mean(str(name), known)],
            do=f"write one of: {', '.join(known)}",
        ) from None


def usable_cores() -> int:
    """Count the processor cores that this process may use (its affinity, not the machine's size)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def resolve_threads(tier: Tier | str, threads: Literal["auto"] | int) -> int:
    """Return the number of CPU threads: `auto` is 1 under exact and the usable cores under fast.

    A number is taken as it is (sums change with it, so it is a platform fact). Raises ConfigError SR-TIER-002 for
    anything that is neither "auto" nor an integer from 1 to THREADS_LIMIT.
    """
    chosen = tier_of(tier)
    if threads == "auto":
        return 1 if chosen is Tier.EXACT else usable_cores()
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= THREADS_LIMIT:
        raise ConfigError(
            "SR-TIER-002",
            f"threads: {_shown(threads)} is no number of threads",
            evidence=[f"wanted: auto, or an integer from 1 to {THREADS_LIMIT}"],
            do="set `threads: auto` (1 under exact, the core count under fast) or a number",
        )
    return threads


def _shown(value: object) -> str:
    # Python refuses to spell an integer of more than 4300 digits.
    return "a huge number" if isinstance(value, int) and value.bit_length() > 200 else repr(value)[:60]
