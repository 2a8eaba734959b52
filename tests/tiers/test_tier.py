"""Tiers and the thread count that goes with them."""

from __future__ import annotations

import os

import pytest

from samerun.errors import ConfigError
from samerun.tiers.tier import Tier, resolve_threads, tier_of, usable_cores


def test_auto_is_one_thread_under_exact_and_all_usable_cores_under_fast() -> None:
    assert resolve_threads(Tier.EXACT, "auto") == 1
    assert resolve_threads("fast", "auto") == usable_cores() == len(os.sched_getaffinity(0))


def test_a_number_of_threads_is_a_choice() -> None:
    assert resolve_threads("exact", 3) == 3


@pytest.mark.parametrize("threads", [0, -1, True, 1.0, "2", None])
def test_what_is_no_number_of_threads_is_refused(threads: object) -> None:
    with pytest.raises(ConfigError, match="SR-TIER-002"):
        resolve_threads("exact", threads)  # type: ignore[arg-type]


def test_a_misspelt_tier_names_the_nearest_one() -> None:
    with pytest.raises(ConfigError, match="did you mean 'exact'"):
        tier_of("exakt")
