"""Planted faults in scripts, each of which a proof must find and name; a clean twin of each is the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.errors import InternalError, UsageError

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

CLEAN = """
import os, sys, time
import samerun

print("a script speaks", sys.argv[1:])
with samerun.start("clean", seed=7) as run:
    rng = run.stream("own").numpy()
    run.track(rng=rng)
    for step in run.steps(8):
        x = run.values.get("x", 1.0)
        run.values["x"] = 0.5 * x + float(rng.random()) + HIDDEN
        step.log(x=run.values["x"])
open("written.txt", "w").write("done")
sys.exit(0)
"""


def script(folder: Path, hidden: str = "0.0") -> str:
    (folder / "train.py").write_text(CLEAN.replace("HIDDEN", hidden))
    return "train.py"


def test_a_clean_script_is_the_same_whatever_is_asked(verified: Any, tmp_path: Path) -> None:
    found = verified(script(tmp_path), everything=True, arguments=["--rate", "1"])
    assert list(found) == ["repeat", "resume", "neutral"]
    for check in found.values():
        assert (check["verdict"], check["steps_compared"]) == ("same", 8), check
        assert check["components"]["values"]["steps"] in (3, 8) and check["components"]["rng"]["verdict"] == "same"
        assert "home and working folder" in check["rests_on"]
    flipped = {case["what"].split("=")[0] for case in found["neutral"]["cases"]}
    assert {"checkpoint.every", "checkpoint.keep", "trail.state_every", "name", "stop after step 4"} <= flipped
    assert (tmp_path / "written.txt").read_text() == "done"
    assert not any((tmp_path / "runs").iterdir())


@pytest.mark.parametrize(
    "hidden",
    [
        "time.localtime(0).tm_hour",
        "hash('word') % 97",
        "len(os.getcwd())",
        "len(os.path.expanduser('~'))",
        "len(os.environ['PATH'].split(':')[0])",
        "len(os.environ)",
        "len(os.environ.get('TMPDIR', ''))",
        "len(os.environ.get('LC_ALL', ''))",
    ],
)
def test_a_hidden_input_shows_in_the_second_process(verified: Any, tmp_path: Path, hidden: str) -> None:
    check = verified(script(tmp_path, hidden), "repeat", steps=3)["repeat"]
    assert (check["verdict"], check["first_difference"]["step"]) == ("different", 0)
    assert check["components"]["metrics"] == {"verdict": "different", "steps": 3, "first_step": 0}
    assert check["components"]["rng"]["verdict"] == "same"


FORGETS = """
import samerun

with samerun.start("forgets", seed=7) as run:
    count = 0
    for step in run.steps(9):
        count += 1
        run.values["x"] = run.values.get("x", 0.0) + COUNT
        step.log(x=run.values["x"])
"""


@pytest.mark.parametrize("count", ["count", "(count == 7)"])
def test_a_number_that_is_forgotten_is_found_and_the_stop_is_named(verified: Any, tmp_path: Path, count: str) -> None:
    (tmp_path / "train.py").write_text(FORGETS.replace("COUNT", count))
    check = verified("train.py", "resume")["resume"]
    assert check["verdict"] == "different", check
    assert "stopped after step" in check["detail"] or "killed in step" in check["detail"]
    assert check["first_difference"]["component"] in ("values", "loss", "metrics")
    (tmp_path / "train.py").write_text(FORGETS.replace("COUNT", "step.index"))
    assert verified("train.py", "resume")["resume"]["verdict"] == "same"


COUNTS_FILES = """
import os
import samerun

with samerun.start("counts", seed=7) as run:
    for step in run.steps(8):
        seen = WHAT
        run.values["x"] = run.values.get("x", 0.0) + seen
        step.log(x=run.values["x"])
"""


@pytest.mark.parametrize(
    ("what", "setting"),
    [
        ("len(os.listdir(run.folder / 'checkpoints'))", "checkpoint.every=2"),
        ("len(run.folder.name)", "name=another-name"),
    ],
)
def test_a_setting_that_is_aside_and_decides_a_number_is_named(
    verified: Any, tmp_path: Path, what: str, setting: str
) -> None:
    (tmp_path / "train.py").write_text(COUNTS_FILES.replace("WHAT", what))
    check = verified("train.py", "neutral")["neutral"]
    assert check["verdict"] == "different", check
    assert check["detail"].startswith(f"with {setting}: ")
    verdicts = {case["what"]: case["verdict"] for case in check["cases"]}
    assert verdicts[setting] == "different" and verdicts["trail.state_every=3"] == "same"


WINDOW = """
import torch
import samerun

with samerun.start("window", seed=3) as run:
    model = torch.nn.Linear(2, 1)
    optim = torch.optim.SGD(model.parameters(), 0.1)
    run.track(model=model, optim=optim, GRADIENTS)
    for step in run.steps(10):
        loss = model(torch.rand(4, 2)).square().mean()
        loss.backward()
        if step.index % 4 == 3:
            optim.step()
            optim.zero_grad()
        step.log(loss=loss)
"""


def test_a_window_of_gradients_that_spans_steps_is_stopped_inside(verified: Any, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(WINDOW.replace("GRADIENTS", "gradients=model"))
    check = verified("train.py", "resume")["resume"]
    assert (check["verdict"], check["detail"].count("inside an accumulation window")) == ("same", 2), check
    (tmp_path / "train.py").write_text(WINDOW.replace(", GRADIENTS", ""))
    lost = verified("train.py", "resume")["resume"]
    assert (lost["verdict"], lost["first_difference"]["component"]) == ("different", "model"), lost


SEVERAL = """
import samerun

data = len(open("data.txt").read())
for name in ("before", "after"):
    with samerun.start(name, seed=SEED) as run:
        rng = run.stream("own").numpy()
        run.track(rng=rng)
        count = 0
        for step in run.steps(6):
            count += 1
            run.values["x"] = run.values.get("x", 0.0) + float(rng.random()) * data + EXTRA
            step.log(x=run.values["x"])
"""


def test_of_several_runs_the_last_is_stopped_and_all_are_compared(verified: Any, tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("data")
    (tmp_path / "train.py").write_text(SEVERAL.replace("SEED", "7").replace("EXTRA", "0"))
    for check in verified("train.py", "repeat", "resume").values():
        assert check["verdict"] == "same", check
        assert "the run 'after' of 2" in check["rests_on"]
        assert "the same home and working folder (it does not run in another one" in check["rests_on"]
    (tmp_path / "train.py").write_text(SEVERAL.replace("SEED", "7").replace("EXTRA", "count * (name == 'after')"))
    lost = verified("train.py", "resume")["resume"]
    assert lost["verdict"] == "different"
    assert lost["detail"].startswith("in one chain of stops") and "run after: " in lost["detail"]


def test_a_script_without_a_run_or_one_that_fails_is_an_error(verified: Any, tmp_path: Path) -> None:
    (tmp_path / "idle.py").write_text("print(3)\n")
    with pytest.raises(UsageError, match="SR-TRAIN-003"):
        verified("idle.py", "repeat")
    (tmp_path / "fails.py").write_text("raise ValueError('no')\n")
    with pytest.raises(InternalError, match="SR-TRAIN-070"):
        verified("fails.py", "resume")
