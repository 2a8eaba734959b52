"""Which boundary is best, and a metric that is never there: refused or told, not passed over."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from samerun.config.schema import BestTable
from samerun.errors import ConfigError
from samerun.record.reader import RunRecord
from samerun.run.best import Best, check_evaluation
from samerun.run.run import Run

Start = Callable[..., Run]


def best(metric: str = "m", better: Any = "higher") -> BestTable:
    return BestTable(metric=metric, better=better)


@pytest.mark.parametrize(
    ("better", "values", "improved"),
    [
        ("lower", [math.nan, 2.0, 2.0, math.nan, 1.0], [False, True, False, False, True]),
        ("higher", [math.nan, 2.0, 2.0, math.nan, 1.0, 3.0], [False, True, False, False, False, True]),
    ],
)
def test_better_is_strictly_better_and_nan_never_is(better: str, values: list[float], improved: list[bool]) -> None:
    found = Best(best(better=better))
    assert [found.note(step, {"m": value}) for step, value in enumerate(values, 1)] == improved
    assert not found.note(99, {"other": 0.0})


@pytest.mark.parametrize(
    ("values", "better", "step"),
    [
        ({1: 0.5, 2: 0.7, 3: 0.6}, "higher", 2),
        ({1: 0.5, 2: 0.7, 3: 0.6}, "lower", 1),
        ({1: 0.5, 2: math.nan, 3: 0.4}, "higher", 1),
        ({1: math.nan, 2: 0.5}, "lower", 2),
        ({1: math.nan}, "higher", None),
        ({}, "lower", None),
        ({1: 0.5, 2: 0.5}, "higher", 1),
        ({1: 0.5, 2: 0.5}, "lower", 1),
        ({1: math.inf, 2: 3.0}, "lower", 2),
        ({1: -math.inf, 2: math.nan}, "higher", 1),
    ],
)
def test_the_best_is_the_earliest_of_equals_and_never_nan(
    values: dict[int, float], better: Any, step: int | None
) -> None:
    chosen = Best(best(better=better))
    for completed, value in values.items():
        chosen.note(completed, {"m": value})
    assert (None if chosen.found is None else chosen.found["step"]) == step


def test_nothing_is_best_where_nobody_asks() -> None:
    found = Best(None)
    assert not found.note(1, {"m": 1.0}) and found.found is None and found.unseen() is None


def test_a_metric_that_no_step_logs_is_told_once_and_not_after_it_was_seen() -> None:
    found = Best(best("train/acuracy"))
    assert found.unseen() is None
    found.note(1, {"train/accuracy": 0.5})
    assert "did you mean 'train/accuracy'?" in str(found.unseen()) and found.unseen() is None
    late = Best(best("train/rare"))
    late.note(1, {"train/loss": 0.5})
    late.note(2, {"train/rare": 0.5})
    assert late.unseen() is None
    resumed = Best(best("train/rare"))
    resumed.restored({"metric": "train/rare", "step": 2, "value": "Infinity"})
    resumed.note(3, {"train/loss": 0.5})
    assert resumed.unseen() is None and resumed.found == {"metric": "train/rare", "step": 2, "value": math.inf}


def test_an_evaluation_without_the_metric_that_decides_is_refused_and_others_are_not() -> None:
    for metric in ("val/accuracy", "train/loss", "other/acuracy"):
        check_evaluation(best(metric), "val", {"val/accuracy": 0.5})
    check_evaluation(None, "val", {})
    with pytest.raises(ConfigError, match="SR-RUN-025") as caught:
        check_evaluation(best("val/acuracy"), "val", {"val/accuracy": 0.5, "val/loss": 1.0})
    assert "did you mean 'val/accuracy'?" in caught.value.evidence[1]


def test_a_run_ends_at_the_first_evaluation_that_lacks_its_best_metric(start: Start) -> None:
    with pytest.raises(ConfigError, match="SR-RUN-025"), start(checkpoint={"best": vars(best("val/acc"))}) as run:
        for step in run.steps(5):
            with run.evaluation("val") as evaluation:
                evaluation.log(accuracy=float(step.index))
    manifest = RunRecord.open(run.folder).manifest
    assert manifest.status == "failed" and "val/acc" in str(manifest.reason)


def test_a_run_says_that_its_best_metric_was_not_logged(start: Start, capsys: pytest.CaptureFixture[str]) -> None:
    with start(checkpoint={"every": 2, "best": vars(best("accuracy"))}) as run:
        for step in run.steps(5):
            step.log(accuracy=1.0)
    assert capsys.readouterr().err.count("did you mean 'train/accuracy'?") == 1
    (event,) = [row for row in RunRecord.open(run.folder).events() if row["event"] == "note"]
    assert event["step"] == 2 and "accuracy" in event["text"]
