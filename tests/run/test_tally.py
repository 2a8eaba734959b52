"""What is counted over all attempts of a run."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import torch

from samerun.errors import Stopped
from samerun.record.manifest import Manifest
from samerun.record.reader import RunRecord
from samerun.run.run import Run

Start = Callable[..., Run]
SUMMED = "aten::cumsum"


def summed(start: Start, name: str, stop_after: int | None = None, **arguments: Any) -> Manifest:
    """Sum cumulatively once a step, twice before the loop; four steps."""
    with (
        suppress(Stopped),
        start(name, exact_except=[SUMMED], options={"stop_after": stop_after}, checkpoint={"every": 1}) as run,
    ):
        torch.ones(2).cumsum(0).cumsum(0)
        for step in run.steps(4):
            step.log(last=torch.ones(3).cumsum(0)[-1])
    return RunRecord.open(run.folder).manifest


def test_operations_that_are_excepted_are_counted_in_the_manifest_of_one_process(start: Start) -> None:
    assert summed(start, "one").excepted == {SUMMED: 6}


def test_counts_go_on_from_the_checkpoint_over_a_restart(start: Start) -> None:
    assert summed(start, "parts", stop_after=3).excepted == {SUMMED: 5}
    assert summed(start, "parts").excepted == {SUMMED: 6}


def test_a_run_without_exceptions_counts_none_and_says_what_is_in_force(start: Start) -> None:
    found = {}
    for tier in ("exact", "fast"):
        with start(tier, tier=tier) as run:
            list(run.steps(1))
        manifest = RunRecord.open(run.folder).manifest
        assert manifest.excepted == {} and manifest.enforced["threads"] == torch.get_num_threads()
        found[tier] = manifest.enforced["deterministic_algorithms"]
    assert found == {"exact": True, "fast": False}
