"""`samerun.start`: a plain loop becomes a run."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

from samerun.errors import ConfigError, MissingError, UsageError
from samerun.record.reader import RunRecord
from samerun.run.run import Run

Start = Callable[..., Run]


@dataclass
class Settings:
    rate: float = 0.1
    out: str = "here"


@pytest.mark.parametrize(
    "config", [{"rate": 0.1, "out": "here"}, Settings(), argparse.Namespace(rate=0.1, out="here")], ids=type
)
def test_a_config_of_any_kind_is_recorded_by_its_values(config: object, start: Start) -> None:
    with start(config=config, aside={"out": "where files go"}) as run:
        pass
    record = RunRecord.open(run.folder)
    assert record.config.values == {"rate": 0.1, "out": "here"}
    assert record.config.asides == {"out": "where files go"}
    assert record.identity.experiment["config"] == {"rate": 0.1}


@pytest.mark.parametrize(
    ("given", "error", "code"),
    [
        ({"seed": True}, UsageError, "SR-SEED-001"),
        ({"seed": -1}, UsageError, "SR-SEED"),
        ({"name": "a/b"}, UsageError, "SR-RECORD-001"),
        ({"tier": "exakt"}, ConfigError, "SR-TIER-001"),
        ({"threads": 0}, ConfigError, "SR-TIER-002"),
        ({"device": "mps"}, MissingError, "SR-TIER"),
        ({"config": {"x": object()}}, ConfigError, "SR-CONFIG"),
        ({"aside": {"nothing": "why"}}, ConfigError, "SR-CONFIG-014"),
        ({"checkpoint": {"every": 0}}, ConfigError, "SR-RUN-018"),
    ],
)
def test_what_cannot_be_is_refused_before_a_folder_is_made(
    given: dict[str, Any], error: type[Exception], code: str, start: Start, tmp_path: Path
) -> None:
    with pytest.raises(error, match=code):
        start(**given)
    assert not (tmp_path / "runs").exists()


def test_the_tier_is_enforced_when_the_run_starts(start: Start) -> None:
    with start("exact"):
        assert torch.are_deterministic_algorithms_enabled() and torch.get_num_threads() == 1
    with start("fast", tier="fast", threads=1):
        assert not torch.are_deterministic_algorithms_enabled()
    with start("again"):
        assert torch.are_deterministic_algorithms_enabled()


def test_what_a_command_asks_for_wins_over_what_the_script_says(start: Start, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    with start("script", seed=1, options={"name": "command", "seed": 2, "tier": "fast", "runs": elsewhere}) as run:
        pass
    manifest = RunRecord.open(run.folder).manifest
    assert (manifest.name, manifest.seed, manifest.tier, run.folder.parent) == ("command", "2", "fast", elsewhere)
    start("exact").__exit__(None, None, None)


def test_a_secret_in_a_config_is_not_recorded(start: Start) -> None:
    with start(config={"api_key": "canary-4711-canary", "rate": 1}) as run:
        pass
    assert not [path for path in run.folder.rglob("*") if path.is_file() and b"canary-4711" in path.read_bytes()]


def test_a_seed_beyond_64_bits_is_another_seed(start: Start) -> None:
    drawn = []
    for name, seed in (("a", 5), ("b", 5 + 2**32), ("c", 5 + 2**64)):
        with start(name, seed=seed):
            drawn.append(torch.rand(1).item())
    assert len(set(drawn)) == 3
