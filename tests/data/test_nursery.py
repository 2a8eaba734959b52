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


def test_a_forks_function_runs_and_its_process_ends() -> None:
    reader, writer = os.pipe()
    pid = nursery.fork(lambda: (os.write(writer, b"here"), None)[1])
    os.close(writer)
    assert os.read(reader, 10) == b"here" and os.read(reader, 10) == b""
    os.close(reader)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_an_exception_in_a_fork_ends_it_with_an_error() -> None:
    def broken() -> None:
        raise SystemExit(3)

    assert os.waitstatus_to_exitcode(os.waitpid(nursery.fork(broken), 0)[1]) == 1


@pytest.mark.parametrize("at_once", [True, False])
def test_a_session_that_does_not_end_is_killed_and_reaped(at_once: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nursery, "PATIENCE_SECONDS", 0.1)

    def stubborn() -> None:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)

    pid = nursery.fork(stubborn)
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
