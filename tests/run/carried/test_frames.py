"""Which variables of a loop carry: told at the point where the loop asks for its next step."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from samerun.run.carried.frames import Carried, carried_by, is_user_class, is_user_code, user_frames

seen: list[Carried] = []


def steps() -> Iterator[int]:
    for number in range(2):
        seen.append(carried_by(sys._getframe(1)))
        yield number


def work(*_: Any) -> int:
    return len(_)


def anew() -> None:
    for step in steps():
        batch = work(step)
        if batch:
            loss = work(batch)
        else:
            loss = 0
        with open(__file__) as file:
            size = work(file)
        work(loss, size)
    print(loss)


def minimum() -> None:
    best, last, step = 9, 0, 0
    for step in steps():
        best = min(best, step)
        work(last)
        last = step


def sometimes() -> None:
    found = None
    for step in steps():
        if step:
            found = step
    print(found)


def failing() -> None:
    failures, value = 0, 0
    for _ in steps():
        try:
            value = work()
        except ValueError:
            failures += 1
    print(value)


def mutated() -> None:
    history: list[int] = []
    for step in steps():
        history.append(step)


def wide() -> None:
    total = 0
    for step in steps():
        work(step), work(step), work(step), work(step), work(step), work(step), work(step), work(step), work(step)
        work(step), work(step), work(step), work(step), work(step), work(step), work(step), work(step), work(step)
        work(step), work(step), work(step), work(step), work(step), work(step), work(step), work(step), work(step)
        total += step


def targets() -> None:
    for index, (step, _) in zip(range(2), zip(steps(), range(2), strict=True), strict=True):
        work(index, step)


@pytest.mark.parametrize(
    ("loop", "live", "rebound"),
    [
        (anew, set(), set()),
        (minimum, {"best", "last"}, {"best", "last"}),
        (sometimes, {"found"}, {"found"}),
        (failing, {"failures", "value"}, {"failures", "value"}),
        (mutated, {"history"}, set()),
        (wide, {"total"}, {"total"}),
        (targets, set(), set()),
    ],
)
def test_a_variable_carries_where_it_may_be_read_before_it_is_assigned(
    loop: Callable[[], None], live: set[str], rebound: set[str]
) -> None:
    seen.clear()
    loop()
    carried = seen[0]
    local = set(loop.__code__.co_varnames)
    assert carried.live & local == live
    assert carried.rebound & live == rebound


def test_what_the_for_assigns_is_told_apart() -> None:
    seen.clear()
    targets()
    assert seen[0].targets == {"index", "step", "_"}


def test_code_is_the_users_where_it_is_neither_installed_nor_pythons_nor_ours() -> None:
    assert is_user_code("train", "/home/me/train.py")
    assert not is_user_code("json", sys.modules["json"].__file__)
    assert not is_user_code("torch", "/env/lib/python3/site-packages/torch/__init__.py")
    assert not is_user_code("samerun.run.loop", "/x/loop.py")
    assert not is_user_code("__main__", str(Path(sys.modules["samerun"].__file__ or "").parent / "testing.py"))
    assert is_user_code("samerun.trainers.fit", "/x/fit.py")
    assert is_user_class(type("Own", (), {"__module__": __name__})) and not is_user_class(dict)


def test_the_frames_of_the_user_are_found_innermost_first() -> None:
    assert user_frames()[0].f_code.co_name == "test_the_frames_of_the_user_are_found_innermost_first"
