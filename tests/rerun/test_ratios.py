"""Ratios of times taken in turns, and when they say nothing."""

from __future__ import annotations

import sys

import pytest

from samerun.errors import MissingError
from samerun.rerun.ratios import check_scipy, medians, ratio_of


def test_a_slow_moment_that_hits_both_sides_moves_no_ratio() -> None:
    found = ratio_of([0.2, 0.9, 0.4, 0.3], [0.1, 0.45, 0.2, 0.15], "test")
    assert (round(found.ratio, 6), round(found.low, 6), round(found.high, 6)) == (2.0, 2.0, 2.0)
    assert not found.is_noise and found.seconds_with == pytest.approx(0.35)


def test_a_difference_that_changes_its_sign_is_noise() -> None:
    found = ratio_of([1.1, 0.9, 1.05, 0.96], [1.0, 1.0, 1.0, 1.0], "test")
    assert found.low < 1.0 < found.high and found.is_noise and found.as_json()["is_noise"]


def test_a_steady_difference_is_none() -> None:
    found = ratio_of([1.21, 1.19, 1.2, 1.22], [1.0, 1.01, 0.99, 1.0], "test")
    assert found.low > 1.15 and found.high < 1.25 and not found.is_noise


def test_the_interval_is_a_function_of_the_times_and_the_name() -> None:
    times = [1.1, 1.3, 1.2, 1.25, 1.18], [1.0, 1.1, 0.9, 1.0, 1.05]
    assert ratio_of(*times, "a") == ratio_of(*times, "a")


def test_a_block_is_its_median_step_phase_by_phase() -> None:
    steps = [{"collect": 1.0, "learn": 2.0}, {"collect": 1.0, "learn": 90.0}, {"collect": 3.0, "learn": 4.0}]
    assert medians(steps) == {"collect": 1.0, "learn": 4.0, "step": 7.0}


def test_without_scipy_one_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(MissingError) as caught:
        check_scipy()
    assert caught.value.exit_code == 4 and caught.value.do == "pip install 'samerun[stats]'"
