"""A fork runs one function and ends, whatever the function does."""

from __future__ import annotations

import os

from samerun.data.forking import fork


def test_a_forks_function_runs_and_its_process_ends() -> None:
    reader, writer = os.pipe()
    pid = fork(lambda: (os.write(writer, b"here"), None)[1])
    os.close(writer)
    assert os.read(reader, 10) == b"here" and os.read(reader, 10) == b""
    os.close(reader)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_an_exception_in_a_fork_ends_it_with_an_error() -> None:
    def broken() -> None:
        raise SystemExit(3)

    assert os.waitstatus_to_exitcode(os.waitpid(fork(broken), 0)[1]) == 1
