from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from samerun.base.digest import sha256
from samerun.judge.documents import ABSENT
from samerun.judge.sources import SourceSide, source_rows
from samerun.record.meaning import meaning_of

BASE = b"rate = 0.1  # slow\n"


def row(data: bytes, **changes: Any) -> dict[str, Any]:
    return {"meaning": meaning_of(data).code, "content": sha256(data), "is_stored": True, "num_redacted": 0, **changes}


def side(stored: Mapping[str, bytes] | None = None, /, **rows: dict[str, Any]) -> SourceSide:
    def never() -> Mapping[str, bytes]:
        raise AssertionError("the snapshot was read")

    files = {f"user/{name}.py": one for name, one in rows.items()}
    return SourceSide({"files": files}, never if stored is None else lambda: stored)


def texts(data: bytes) -> SourceSide:
    return side({"user/net.py": data}, net=row(data))


def test_equal_sources_have_no_rows_and_no_snapshot_is_read() -> None:
    assert source_rows(side(net=row(BASE)), side(net=row(BASE))) == []


def test_a_changed_line_is_shown_and_counts() -> None:
    (found,) = source_rows(texts(BASE), texts(b"rate = 0.2  # slow\n"))
    assert (found["path"], found["counts"], found["change"], found["where"]) == (
        "user/net.py",
        True,
        "changed",
        "line 1 changed",
    )
    assert found["lines"][1:3] == ["-rate = 0.1  # slow", "+rate = 0.2  # slow"] and found["a"] != found["b"]


def test_another_comment_is_shown_and_does_not_count() -> None:
    (found,) = source_rows(texts(BASE), texts(b"rate = 0.1  # fast\n"))
    assert not found["counts"] and found["a"] == sha256(BASE) and "+rate = 0.1  # fast" in found["lines"]


def test_a_file_on_one_side_only_counts() -> None:
    (found,) = source_rows(side(net=row(BASE)), side())
    assert (found["b"], found["counts"], found["change"], found["reason"]) == (
        ABSENT,
        True,
        "removed",
        "on one side only",
    )


@pytest.mark.parametrize(
    ("changes", "stored", "reason"),
    [
        ({"is_stored": False}, {}, "not stored"),
        ({}, {}, "not in the snapshot"),
        ({"num_redacted": 1}, {"user/net.py": BASE}, "a secret that was left out"),
        ({}, {"user/net.py": b"\xff"}, "not a text"),
    ],
)
def test_lines_that_cannot_be_shown_have_a_reason(
    changes: dict[str, Any], stored: dict[str, bytes], reason: str
) -> None:
    a = side(stored, net=row(BASE, **changes))
    b = side(stored, net=row(b"rate = 0.2", **changes))
    (found,) = source_rows(a, b)
    assert reason in found["reason"] and found["lines"] == [] and found["counts"]


def test_the_files_of_the_user_come_before_those_of_packages_and_of_samerun() -> None:
    files = {name: row(b"x = 1") for name in ("own/samerun/a.py", "packages/p/b.py", "user/z.py")}
    found = source_rows(SourceSide({"files": files}, dict), SourceSide({}, dict))
    assert [one["path"] for one in found] == ["user/z.py", "packages/p/b.py", "own/samerun/a.py"]


def test_of_very_many_files_only_the_first_are_compared_line_by_line() -> None:
    a, b = (
        side({f"user/f{n}.py": data for n in range(60)}, **{f"f{n}": row(data) for n in range(60)})
        for data in (BASE, b"rate = 0.2")
    )
    found = source_rows(a, b)
    assert sum(bool(one["lines"]) for one in found) == 50 and "more than 50" in found[-1]["reason"]
