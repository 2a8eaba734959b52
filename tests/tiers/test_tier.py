"""Tiers and the thread count that goes with them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import samerun
from samerun.config import schema
from samerun.errors import ConfigError
from samerun.tiers.tier import THREADS_LIMIT, Tier, resolve_threads, tier_of, usable_cores


def test_auto_is_one_thread_under_exact_and_all_usable_cores_under_fast() -> None:
    assert resolve_threads(Tier.EXACT, "auto") == 1
    assert resolve_threads("fast", "auto") == usable_cores() == len(os.sched_getaffinity(0))


def test_a_number_of_threads_is_a_choice() -> None:
    assert resolve_threads("exact", 3) == 3


@pytest.mark.parametrize("threads", [0, -1, True, 1.0, "2", None, 1025, 10**6, pytest.param(10**5000, id="huge")])
def test_what_is_no_number_of_threads_is_refused(threads: object) -> None:
    with pytest.raises(ConfigError, match="SR-TIER-002"):
        resolve_threads("exact", threads)  # type: ignore[arg-type]


def test_the_schema_of_recipes_has_the_same_limit() -> None:
    assert THREADS_LIMIT == schema.THREADS_LIMIT
    assert resolve_threads("exact", THREADS_LIMIT) == THREADS_LIMIT


def test_too_many_threads_are_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="from 1 to 1024"):
        samerun.start("tiny", threads=THREADS_LIMIT + 1)
    assert list(tmp_path.iterdir()) == []


def test_a_misspelt_tier_names_the_nearest_one() -> None:
    with pytest.raises(ConfigError, match="did you mean 'exact'"):
        tier_of("exakt")
