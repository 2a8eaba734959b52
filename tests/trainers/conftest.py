"""A tiny recipe of real digits, and a way to train it here and read what was recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from samerun.config.layers import resolve
from samerun.errors import Stopped
from samerun.record.find import find_runs
from samerun.record.reader import RunRecord
from samerun.run.launch import LaunchOptions
from samerun.run.phases import Phases
from samerun.trainers.recipe import train_recipe

TINY: dict[str, Any] = {
    "trainer": "supervised",
    "name": "tiny",
    "seed": 7,
    "steps": 6,
    "task": {"kind": "digits", "test_fraction": 0.8},
    "model": {"kind": "mlp", "hidden": [8], "dropout": 0.2},
    "batch_size": 64,
    "trail": {"state_every": 1},
}


@dataclass(frozen=True)
class Trained:
    """A run and its rows, without what a clock or the chain of sums says."""

    record: RunRecord
    rows: list[dict[str, Any]]
    trail: list[dict[str, Any]]


@pytest.fixture
def train(tmp_path: Path) -> Callable[..., Trained]:
    """Return `train(stop_after=None, runs="runs", resumed=None, **changes)`: it trains the tiny recipe.

    Returned is the newest run.
    """

    def trained(
        *,
        stop_after: int | None = None,
        runs: str = "runs",
        resumed: Path | None = None,
        phases: Phases | None = None,
        **changes: Any,
    ) -> Trained:
        options = LaunchOptions(
            runs=tmp_path / runs, run_folder=resumed, stop_after=stop_after, is_quiet=True, phases=phases
        )
        try:
            train_recipe(resolve({**TINY, **changes}, project=tmp_path), options, tmp_path)
        except Stopped:
            assert stop_after is not None
        record = find_runs(tmp_path / runs)[-1]
        return Trained(record, without_clock(record.metrics()), without_clock(record.trail()))

    return trained


def without_clock(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: row[key] for key in row if key != "sum" and not key.startswith("time/")} for row in rows]
