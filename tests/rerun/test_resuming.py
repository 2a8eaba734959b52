"""What a leg of a chain becomes for the process that goes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from samerun.rerun.made import Making
from samerun.rerun.resuming import Resuming, resuming_of
from samerun.rerun.series import Series
from samerun.rerun.splits import Leg
from samerun.rerun.whole import Whole


def resuming(record: Any, tmp_path: Path, *settings: str, recipe: str = "digits") -> Resuming:
    made = record()
    series = Series(Making(recipe, tuple(settings)), tmp_path, lambda text: None)
    return resuming_of(series, Whole((made,), made, 6, None), ())


def test_a_recipe_may_work_with_other_workers_and_a_script_may_not(record: Any, tmp_path: Path) -> None:
    other = resuming(record, tmp_path)
    assert other.other_workers == "workers=2"
    assert (other.workers_of(Leg(3, has_other_workers=True)), other.workers_of(Leg(3))) == ("workers=2", "")


def test_why_there_were_no_other_workers_is_told(record: Any, tmp_path: Path) -> None:
    other = resuming(record, tmp_path)
    other.refused.append("not with workers=2: SR-DATA-005")
    assert other.workers_of(Leg(3, has_other_workers=True)) == "not with workers=2: SR-DATA-005"


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
