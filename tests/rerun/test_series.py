"""Trainings one after the other, elsewhere where that is possible."""

from __future__ import annotations

from pathlib import Path

import pytest

from samerun.errors import DamageError, LockedError, SamerunError
from samerun.rerun.child import Killed
from samerun.rerun.made import Making, Order
from samerun.rerun.series import Series

LOOP = """
import os
import samerun

{before}
with samerun.start("loop", seed=7) as run:
    for step in run.steps(3):
        step.log(x=step.index)
"""


def series(tmp_path: Path, before: str = "") -> Series:
    (tmp_path / "train.py").write_text(LOOP.format(before=before))
    work = tmp_path / "work"
    work.mkdir()
    return Series(Making(str(tmp_path / "train.py"), home=tmp_path), work, lambda text: None)


@pytest.mark.slow
def test_the_first_runs_at_home_and_the_others_elsewhere(tmp_path: Path) -> None:
    told = series(tmp_path, "open('where', 'w').write(os.environ['HOME'])")
    assert told.train("a", 0, Order()).manifest.step == 3
    assert (tmp_path / "where").exists()
    told.train("b", 1, Order(stop_after=2))
    assert told.train("b", 2, Order()).manifest.step == 3
    assert (tmp_path / "work/elsewhere-1/work/where").read_text() == str(tmp_path / "work/elsewhere-1/home")
    assert "home and working folder" in told.surroundings() and "the same home" not in told.surroundings()


@pytest.mark.slow
def test_what_runs_only_at_home_is_run_there_and_the_answer_says_so(tmp_path: Path) -> None:
    (tmp_path / "data.txt").touch()
    bound = series(tmp_path, "open('data.txt')")
    assert bound.train("b", 1, Order()).manifest.step == 3
    assert [run.manifest.name for run in bound.runs_of("b")] == ["loop"]
    assert "the same home and working folder (it does not run in another one" in bound.surroundings()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("end", "kind"),
    [
        ("os.kill(os.getpid(), 9)", Killed),
        ("raise samerun.DamageError('SR-DAMAGE-001', 'half', do='look')", DamageError),
        ("raise samerun.LockedError('SR-RUN-001', 'held', do='wait')", LockedError),
    ],
)
def test_what_no_other_folder_mends_is_tried_once(tmp_path: Path, end: str, kind: type[SamerunError]) -> None:
    with pytest.raises(kind):
        series(tmp_path, f"open({str(tmp_path / 'tries')!r}, 'a').write('x')\n{end}").train("b", 1, Order())
    assert (tmp_path / "tries").read_text() == "x"


@pytest.mark.slow
def test_what_runs_nowhere_fails_with_its_own_error(tmp_path: Path) -> None:
    with pytest.raises(SamerunError, match="SR-TRAIN-070"):
        series(tmp_path, "raise ValueError('never')").train("b", 1, Order())
