"""The aside settings of a live run."""

from __future__ import annotations

import pytest

from samerun.errors import ConfigError
from samerun.run.policy import loop_policy

BEST = {"metric": "val/x", "better": "higher"}


def test_by_default_a_checkpoint_every_15_minutes_and_three_are_kept() -> None:
    policy = loop_policy(None, None)
    assert (policy.cadence.every_steps, policy.cadence.every_seconds) == (None, 900.0)
    assert policy.retention.keep == 3 and policy.best is None and not policy.is_asynchronous
    assert policy.state_every is None


def test_steps_or_a_duration() -> None:
    assert loop_policy({"every": 100}, None).cadence.every_steps == 100
    by_time = loop_policy({"every": "1h30m"}, None).cadence
    assert (by_time.every_steps, by_time.every_seconds) == (None, 5400.0)


def test_the_other_keys_are_those_of_a_recipe() -> None:
    table = {"keep": 2, "keep_every": 10, "keep_weights": 5, "asynchronous": True, "best": BEST}
    policy = loop_policy(table, {"state_every": 4})
    assert (policy.retention.keep, policy.retention.keep_every, policy.retention.keep_weights) == (2, 10, 5)
    assert policy.is_asynchronous and policy.state_every == 4
    assert policy.best is not None and policy.best.metric == "val/x"


def test_all_problems_of_both_tables_come_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        loop_policy({"every": "15 parsecs", "kep": 1}, {"state_every": "never"})
    assert caught.value.code == "SR-RUN-018"
    named = {line.split(":")[0] for line in caught.value.evidence}
    assert "checkpoint.kep" in named and any(name.startswith("checkpoint.every") for name in named)
    assert any(name.startswith("trail.state_every") for name in named)
