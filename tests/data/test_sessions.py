"""Sessions of workers: one nursery for all, started anew when it is gone."""

from __future__ import annotations

import os
import signal
import socket
from typing import Any

import pytest
from loader_samples import Quiet, loader

from samerun.data import sessions
from samerun.data.loader import Loader
from samerun.errors import MissingError


def leader(batches: Loader) -> int:
    pool: Any = batches._pool
    return int(pool.session.leader)


def test_two_pools_have_one_nursery_and_a_session_each() -> None:
    first, second = (loader(Quiet(9), 3, num_workers=1) for _ in range(2))
    try:
        assert next(first)[1].tolist() == next(second)[1].tolist()
        ours = sessions.nursery()
        assert os.getsid(leader(first)) == leader(first) != leader(second) == os.getsid(leader(second))
        assert os.getsid(ours._process.pid) == ours._process.pid != os.getsid(0)
        assert sessions.nursery() is ours
    finally:
        first.close()
        second.close()


def test_a_nursery_that_was_killed_is_started_anew_and_its_pools_go_on() -> None:
    first = loader(Quiet(9), 3, num_workers=1)
    second = loader(Quiet(9), 3, num_workers=1)
    try:
        whole = [next(loader(Quiet(9), 3))[1].tolist()]
        assert next(first)[1].tolist() == whole[0]
        os.kill(sessions.nursery()._process.pid, signal.SIGKILL)
        assert len(next(first)[1]) == 3
        assert next(second)[1].tolist() == whole[0]
        assert first.restarts == second.restarts == 0
    finally:
        first.close()
        second.close()


def test_a_fork_of_the_training_process_leaves_its_parents_workers_alone() -> None:
    batches = loader(Quiet(9), 3, num_workers=1)
    try:
        wanted = [next(batches)[1].tolist() for _ in range(2)]
        assert len(wanted) == 2
        pid = os.fork()
        if pid == 0:
            session: Any = batches._pool and batches._pool.session
            session.end()
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert len(next(batches)[1]) == 3 and batches.restarts == 0
    finally:
        batches.close()


@pytest.mark.parametrize("at_once", [True, False])
def test_a_session_can_be_ended_gently_or_at_once(at_once: bool) -> None:
    batches = loader(Quiet(9), 3, num_workers=1)
    next(batches)
    pid = leader(batches)
    assert batches._pool is not None
    batches._pool.close(at_once=at_once)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_question_that_was_interrupted_is_the_last_one_to_that_nursery(monkeypatch: pytest.MonkeyPatch) -> None:
    first = loader(Quiet(9), 3, num_workers=1)
    second = loader(Quiet(9), 3, num_workers=1)
    try:
        next(first)
        before = sessions.nursery()
        with monkeypatch.context() as patch:
            patch.setattr(socket, "send_fds", interrupted)
            with pytest.raises(KeyboardInterrupt):
                next(second)
        wanted = loader(Quiet(9), 3)
        assert next(second)[1].tolist() == next(wanted)[1].tolist()
        assert next(first)[1].tolist() == next(wanted)[1].tolist()
        assert sessions.nursery() is not before and first.restarts == second.restarts == 0
    finally:
        first.close()
        second.close()


def interrupted(*_: Any) -> None:
    raise KeyboardInterrupt


def test_a_system_that_starts_no_process_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(sessions, "_nursery", None)
    monkeypatch.setattr(sessions.subprocess, "Popen", refused)
    batches = loader(Quiet(9), 3, num_workers=1)
    with pytest.raises(MissingError, match="SR-DATA-019") as caught:
        next(batches)
    assert "Resource temporarily unavailable" in caught.value.evidence[0]
    batches.close()
