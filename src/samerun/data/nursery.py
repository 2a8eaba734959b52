"""The process that workers are forked from: started fresh, once, with torch imported, and single-threaded ever after.

Nothing of the training process is inherited (no thread, lock or open file), and a second pool, or one that replaces
killed workers, starts in milliseconds. Each pool gets a session of its own, led by worker.py's `lead`. Asked by
sessions.py; ends when the training process does.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
import time
from contextlib import suppress
from functools import partial

from samerun.data import foreign, wire, worker, workers
from samerun.data.forking import fork

PATIENCE_SECONDS = 2.0
MAX_FILES = 253
"""The most descriptors that one message may carry on Linux."""


def main(arguments: list[str]) -> None:
    """Serve: the descriptor of the control channel, then the modules to import beforehand."""
    control = socket.socket(fileno=int(arguments[0]))
    workers.mark_inside()
    for name in arguments[1:]:
        __import__(name)
    foreign.use_one_thread()
    gc.collect()
    gc.freeze()
    while True:
        try:
            answer(control, *wire.receive(control))
        except (EOFError, OSError):
            return


def answer(control: socket.socket, verb: str, value: int) -> None:
    """Do what the training process asks: open a session, or end one."""
    if verb == "open":
        _, files, _, _ = socket.recv_fds(control, 16, MAX_FILES)
        pid = fork(partial(worker.lead, files, control))
        for file in files:
            os.close(file)
        wire.send(control, pid)
    else:
        end(value, at_once=verb == "kill")
        wire.send(control, value)


def end(leader: int, *, at_once: bool) -> None:
    """Wait for a session that is about to end (its channels are closed), or end it by a signal; then reap its leader.

    ORDER: the leader is reaped last; until then its number is nobody else's.
    """
    for _ in range(0 if at_once else int(PATIENCE_SECONDS / 0.01)):
        with suppress(ChildProcessError):
            if os.waitpid(leader, os.WNOHANG) == (0, 0):
                time.sleep(0.01)
                continue
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
    with suppress(ChildProcessError):
        os.waitpid(leader, 0)


if __name__ == "__main__":
    main(sys.argv[1:])
