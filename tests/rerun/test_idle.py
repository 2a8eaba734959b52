"""Processes forked from an idle interpreter: each is a process of its own, and only packages are shared."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from samerun.errors import MissingError, NoMatchError
from samerun.rerun.idle import IdleProcess, _import
from samerun.rerun.mishap import Mishap
from samerun.rerun.surroundings import SURROUNDINGS

SCRIPT = """
import os, sys
known = "ours" in sys.modules
import ours

print(ours.seen, known, os.environ["HOME"], os.environ["TZ"], file=sys.stderr)
ours.seen += 1
import samerun

with samerun.start("loop", seed=7) as run:
    for step in run.steps(4):
        step.log(x=step.index)
"""


def test_an_interpreter_that_is_gone_is_an_error_with_its_last_words(tmp_path: Path) -> None:
    idle = IdleProcess(SURROUNDINGS[1], tmp_path / "elsewhere", tmp_path / "idle", [tmp_path])
    (tmp_path / "idle/server.err").write_text("its last words\n")
    os.kill(idle._process.pid, signal.SIGKILL)
    for _ in range(2):
        with pytest.raises(MissingError, match="SR-VERIFY-001") as death:
            idle.run(["ls", "--runs", str(tmp_path)], tmp_path, is_killable=True)
        assert ("signal 9" in death.value.what, death.value.evidence) == (True, ("its last words",))
    idle.close()


def test_a_package_that_cannot_be_imported_beforehand_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _import(["json", "no_such_package"])
    assert "no_such_package is not imported beforehand: ModuleNotFoundError" in capsys.readouterr().err


@pytest.mark.slow
def test_commands_share_nothing_but_packages(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT)
    (tmp_path / "ours.py").write_text("seen = 0\n")
    idle = IdleProcess(SURROUNDINGS[1], tmp_path / "elsewhere", tmp_path / "idle")
    try:
        command = ["train", "train.py", "--runs", str(tmp_path / "runs")]
        mishap = Mishap(2, "kill").as_argument()
        killed = idle.run([*command, "--new", "--mishap", mishap], tmp_path, is_killable=True)
        assert (killed.exit_code, killed.document) == (-9, {})
        for stop in (["--stop-after", "3"], []):
            done = idle.run([*command, *stop], tmp_path)
            assert done.stderr.splitlines()[0] == f"0 False {tmp_path}/elsewhere/home XXX-05:45"
        assert (done.exit_code, done.document["step"]) == (0, 4)
        with pytest.raises(NoMatchError, match="SR-RECORD-031"):
            idle.run(["show", "nobody", "--runs", str(tmp_path / "runs")], tmp_path)
        (tmp_path / "dies.py").write_text("import os\nos.abort()\n")
        with pytest.raises(MissingError, match="SR-VERIFY-001") as death:
            idle.run(["train", "dies.py"], tmp_path)
        assert "signal 6" in death.value.what
    finally:
        idle.close()


LONG = """
import time, samerun

with samerun.start("loop", seed=7) as run:
    for step in run.steps(600):
        with open("beats", "a") as beats:
            beats.write("x")
        time.sleep(0.1)
"""


@pytest.mark.slow
def test_a_command_ends_where_whoever_waits_for_it_is_interrupted(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(LONG)
    idle = IdleProcess(SURROUNDINGS[1], tmp_path / "elsewhere", tmp_path / "idle")
    beats = tmp_path / "beats"

    def interrupt() -> None:
        while not beats.exists():
            time.sleep(0.02)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        idle.run(["train", "train.py", "--runs", str(tmp_path / "runs")], tmp_path)
    thread.join()
    idle.close()
    time.sleep(0.2)
    heard = beats.stat().st_size
    time.sleep(0.5)
    assert beats.stat().st_size == heard < 100
