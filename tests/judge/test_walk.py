from __future__ import annotations

import json
from collections.abc import Iterator

from samerun.judge.walk import Row, walk


def bodies(rows: list[Row]) -> Iterator[bytes]:
    return iter([json.dumps(row).encode() for row in rows])


def visits(a: list[Row], b: list[Row]) -> list[tuple[int, bool, bool]]:
    seen: list[tuple[int, bool, bool]] = []
    walk(bodies(a), bodies(b), lambda step, left, right: seen.append((step, left is not None, right is not None)))
    return seen


def steps(*numbers: int, x: int = 0) -> list[Row]:
    return [{"step": number, "x": x} for number in numbers]


def test_equal_rows_are_counted_and_never_shown() -> None:
    seen: list[int] = []
    walked = walk(bodies(steps(0, 1, 2)), bodies(steps(0, 1, 2)), lambda step, a, b: seen.append(step))
    assert (walked.compared, seen) == (3, [])
    assert (walked.a.first, walked.a.last, walked.b.count) == (0, 2, 3)


def test_rows_are_paired_by_step_and_not_by_position() -> None:
    assert visits(steps(0, 1, 2), steps(1, 2, x=1)) == [(0, True, False), (1, True, True), (2, True, True)]


def test_a_longer_side_is_walked_to_its_end() -> None:
    a, b = steps(0, 1), steps(0, 1, 2, 3)
    assert visits(a, b) == [(2, False, True), (3, False, True)]
    walked = walk(bodies(a), bodies(b), lambda *_: None)
    assert (walked.compared, walked.a.last, walked.b.last, walked.b.count) == (2, 1, 3, 4)


def test_rows_after_a_difference_are_still_paired() -> None:
    a = steps(0) + steps(1, x=1) + steps(2)
    assert visits(a, steps(0, 1, 2)) == [(1, True, True), (2, True, True)]


def test_an_empty_side_has_no_extent() -> None:
    walked = walk(bodies([]), bodies(steps(0)), lambda *_: None)
    assert (walked.compared, walked.a.count, walked.a.first, walked.b.last) == (0, 0, None, 0)
