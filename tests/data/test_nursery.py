"""Forking and ending, without any data."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from samerun.data import nursery
from samerun.data.forking import fork


@pytest.mark.parametrize("at_once", [True, False])
def test_a_session_that_does_not_end_is_killed_and_reaped(at_once: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nursery, "PATIENCE_SECONDS", 0.1)

    def stubborn() -> None:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)

    pid = fork(stubborn)
    while os.getsid(pid) != pid:
        time.sleep(0.01)
    nursery.end(pid, at_once=at_once)
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, 0)


def test_it_ends_when_its_channel_closes() -> None:
    import socket

    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-m", "samerun.data.nursery", str(theirs.fileno())]
    with subprocess.Popen(command, pass_fds=[theirs.fileno()]) as process:
        theirs.close()
        ours.close()
        assert process.wait(60) == 0


def test_a_file_in_the_working_folder_shadows_no_module(tmp_path: Path) -> None:
    (tmp_path / "grp.py").write_text("raise SystemExit('shadowed')")
    program = "from loader_samples import *; b = loader(Quiet(4), 2, num_workers=1); print(len(next(b))); b.close()"
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    command = [sys.executable, "-P", "-c", program]
    done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "2", done.stderr
