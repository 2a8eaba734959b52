"""One operation at a time across threads."""

import threading

import pytest

from samerun.errors import RefusedError
from samerun.run.guard import OperationGuard


def in_thread(call: object) -> list[BaseException]:
    caught: list[BaseException] = []

    def body() -> None:
        try:
            call()  # type: ignore[operator]
        except RefusedError as error:
            caught.append(error)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    return caught


def test_a_second_thread_is_refused_at_once_and_named() -> None:
    guard = OperationGuard()
    with guard.doing("training"):
        (error,) = in_thread(lambda: guard.enter("evaluation"))
    assert isinstance(error, RefusedError) and error.code == "SR-RUN-001"
    assert "training" in error.evidence[0]


def test_a_refused_operation_leaves_the_guard_as_it_was() -> None:
    guard = OperationGuard()
    guard.enter("training")
    in_thread(lambda: guard.enter("evaluation"))
    guard.leave("training")
    assert in_thread(lambda: guard.enter("evaluation")) == []


def test_the_same_thread_may_nest() -> None:
    guard = OperationGuard()
    with guard.doing("training"), guard.doing("evaluation 'val'"):
        pass
    assert in_thread(lambda: guard.enter("close")) == []


def test_the_guard_is_free_after_an_exception() -> None:
    guard = OperationGuard()
    with pytest.raises(ZeroDivisionError), guard.doing("training"):
        raise ZeroDivisionError
    assert in_thread(lambda: guard.enter("close")) == []


def test_what_a_thread_left_open_when_it_ended_passes_on() -> None:
    guard = OperationGuard()
    assert in_thread(lambda: guard.enter("training")) == []
    with guard.doing("close"):
        guard.leave("training")
    assert in_thread(lambda: guard.enter("evaluation")) == []
