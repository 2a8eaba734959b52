"""What a leg of a chain becomes for the process that goes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.rerun.made import Making, Order
from samerun.rerun.resuming import Resuming, resuming_of
from samerun.rerun.series import Series
from samerun.rerun.splits import Leg
from samerun.rerun.whole import Whole

LOOP = """
import samerun

with samerun.start("loop", seed=7) as run:
    for step in run.steps(3):
        step.log(x=step.index)
"""


def resuming(record: Any, tmp_path: Path, *settings: str, recipe: str = "digits") -> Resuming:
    made = record()
    series = Series(Making(recipe, tuple(settings)), tmp_path, lambda text: None)
    return resuming_of(series, Whole((made,), made, 6, None), ())


def test_a_recipe_may_work_with_other_workers_and_a_script_may_not(record: Any, tmp_path: Path) -> None:
    other = resuming(record, tmp_path)
    assert other.other_workers == "workers=2"
    assert (other.workers_of(Leg(3, has_other_workers=True)), other.workers_of(Leg(3))) == ("workers=2", "")


@pytest.mark.slow
def test_why_a_leg_had_no_other_workers_is_told_of_it_alone(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(LOOP)
    series = Series(Making(str(tmp_path / "train.py"), home=tmp_path), tmp_path, lambda text: None)
    made = series.train("whole", 0, Order())
    # A script has no such setting: it is refused, and the leg is gone without.
    chain = Resuming(series, Whole((made,), made, 3, None), (), "workers=2", 0)
    leg = Leg(2, has_other_workers=True)
    assert chain.go("chain", 0, leg).manifest.step == 2
    assert chain.workers_of(leg).startswith("not with workers=2: SR-TRAIN-001")
    assert chain.workers_of(Leg(3, has_other_workers=True)) == "workers=2"


def test_a_script_has_no_other_workers(record: Any, tmp_path: Path) -> None:
    assert resuming(record, tmp_path, recipe="train.py").other_workers is None


def test_a_stop_is_asked_for_inside_the_window_of_a_recipe_that_accumulates(record: Any, tmp_path: Path) -> None:
    found = resuming(record, tmp_path, "accumulate=4")._mishap(Leg(3, (), "signal"), is_single=True)
    assert found is not None and (found.step, found.kind, found.micro) == (2, "stop", 1)


def test_of_several_runs_every_stop_is_a_signal_to_the_one_that_is_meant(record: Any, tmp_path: Path) -> None:
    one = resuming(record, tmp_path)
    assert one._mishap(Leg(3), is_single=True) is None
    found = one._mishap(Leg(3), is_single=False)
    assert found is not None and (found.step, found.kind, found.run) == (2, "stop", 1)
    killed = one._mishap(Leg(3, (), "kill"), is_single=True)
    assert killed is not None and killed.kind == "kill"
