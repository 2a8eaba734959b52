"""Children that come to harm in the middle of a step."""

from __future__ import annotations

import json
import signal
from pathlib import Path

from samerun.record.find import find_runs
from samerun.rerun.child import run_samerun
from samerun.rerun.mishap import Mishap, MishapWatch
from samerun.rerun.surroundings import SURROUNDINGS
from samerun.run.step import Step
from samerun.run.tracked import Tracked
from samerun.streams.source import StreamSource

LOOP = """
import samerun

for name in ("first", "second"):
    with samerun.start(name, seed=7) as run:
        for step in run.steps(6):
            step.log(x=step.index)
            print(name, step.index, flush=True)
"""


def test_a_mishap_travels_as_an_argument() -> None:
    mishap = Mishap(3, "kill")
    assert json.loads(mishap.as_argument()) == {"step": 3, "kind": "kill", "run": 1, "micro": 0}
    assert Mishap.of_argument(mishap.as_argument()) == mishap


def test_a_stop_is_asked_for_inside_a_step_of_the_run_that_is_meant(tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text(LOOP)
    command = ["train", "loop.py", "--runs", str(tmp_path / "runs")]
    done = run_samerun([*command, "--mishap", Mishap(2, run=2).as_argument()], SURROUNDINGS[0], tmp_path)
    assert done.exit_code == 75
    first, second = find_runs(tmp_path / "runs")
    assert (first.manifest.step, second.manifest.name, second.manifest.step) == (6, "second", 3)


def test_a_killed_child_has_done_the_step_and_not_written_its_row(tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text(LOOP)
    command = ["train", "loop.py", "--runs", str(tmp_path / "runs"), "--mishap", Mishap(3, "kill").as_argument()]
    done = run_samerun(command, SURROUNDINGS[0], tmp_path, is_killable=True)
    assert done.exit_code == -9 and "first 3" in done.stderr
    (run,) = find_runs(tmp_path / "runs")
    assert (str(run.status), len(list(run.metrics()))) == ("interrupted", 3)


def test_a_stop_is_asked_for_at_the_beginning_of_the_micro_batch_that_is_meant() -> None:
    seen, steps = list[tuple[int, int]](), [Step(index, StreamSource(7)) for index in (1, 2)]
    before = signal.signal(signal.SIGTERM, lambda number, frame: seen.append((step.index, step.micro)))
    try:
        watch = MishapWatch(Mishap(2, micro=1))
        watch.attach(Tracked())
        for step in steps:
            for step.micro in (0, 1, 2):
                watch.enter(step)
                watch.leave(step)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert seen == [(2, 1)]
