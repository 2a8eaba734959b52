"""A script without the command line around it."""

import subprocess
import sys
from pathlib import Path

import pytest

from samerun.run.alone import say_last_words

SCRIPT = """
import samerun
from samerun.errors import LockedError
with samerun.start("x", seed=1, runs="runs") as run:
    {body}
"""


def run_script(folder: Path, body: str) -> subprocess.CompletedProcess[str]:
    (folder / "script.py").write_text(SCRIPT.format(body=body))
    return subprocess.run([sys.executable, "script.py"], cwd=folder, capture_output=True, text=True, timeout=120)


def test_an_error_of_ours_ends_the_process_in_four_parts_with_its_own_code(tmp_path: Path) -> None:
    ended = run_script(tmp_path, 'raise LockedError("SR-LOCK-001", "what", evidence=["why"], do="wait")')
    assert ended.returncode == 7 and "SR-LOCK-001: what" in ended.stderr and "Traceback" not in ended.stderr


def test_any_other_error_keeps_its_traceback_and_code_1(tmp_path: Path) -> None:
    ended = run_script(tmp_path, "1 / 0")
    assert ended.returncode == 1 and "ZeroDivisionError" in ended.stderr and "Traceback" in ended.stderr


def test_the_last_words_say_where_the_run_is_and_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    say_last_words("x", "stopped", 3, "runs/x-01234567", was_complete=False)
    say_last_words("x", "completed", 9, "runs/x-01234567", was_complete=False)
    stopped, completed = capsys.readouterr().err.splitlines()
    assert stopped == "samerun: x stopped at step 3; start it again to go on: runs/x-01234567"
    assert completed == "samerun: x completed at step 9: runs/x-01234567"


def test_a_run_that_was_complete_before_is_told_from_one_that_trained(capsys: pytest.CaptureFixture[str]) -> None:
    say_last_words("x", "completed", 9, "runs/x-01234567", was_complete=True)
    assert capsys.readouterr().err == (
        "samerun: x was complete already at step 9, nothing was trained: runs/x-01234567\n"
    )
