"""One operation at a time across threads."""

import threading

import pytest

from samerun.errors import RefusedError
from samerun.run.operations import Operations


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
    operations = Operations()
    with operations.doing("training"):
        (error,) = in_thread(lambda: operations.enter("evaluation"))
    assert isinstance(error, RefusedError) and error.code == "SR-RUN-001"
    assert "training" in error.evidence[0]


def test_a_refused_operation_leaves_them_as_they_were() -> None:
    operations = Operations()
    operations.enter("training")
    in_thread(lambda: operations.enter("evaluation"))
    operations.leave("training")
    assert in_thread(lambda: operations.enter("evaluation")) == []


def test_the_same_thread_may_nest() -> None:
    operations = Operations()
    with operations.doing("training"), operations.doing("evaluation 'val'"):
        pass
    assert in_thread(lambda: operations.enter("close")) == []


def test_they_are_free_after_an_exception() -> None:
    operations = Operations()
    with pytest.raises(ZeroDivisionError), operations.doing("training"):
        raise ZeroDivisionError
    assert in_thread(lambda: operations.enter("close")) == []


def test_what_a_thread_left_open_when_it_ended_passes_on() -> None:
    operations = Operations()
    assert in_thread(lambda: operations.enter("training")) == []
    with operations.doing("close"):
        operations.leave("training")
    assert in_thread(lambda: operations.enter("evaluation")) == []
