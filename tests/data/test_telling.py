"""What is said while files are read."""

from __future__ import annotations

import pytest

from samerun.base import clock
from samerun.data.entry import LeftOut
from samerun.data.reading import Progress
from samerun.data.telling import left_out_lines, telling


def test_progress_is_told_after_a_while_and_then_now_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    now = 100.0
    monkeypatch.setattr(clock, "monotonic", lambda: now)
    reporting = telling(said.append)
    for at, files in ((101.0, 1), (102.5, 2), (103.0, 3), (108.0, 4), (120.0, 10)):
        now = at
        reporting.progress(Progress(files, 10, files * 1024, 10 * 1024))
    assert said == [
        "read 2 of 10 files, 2.0 KiB of 10.0 KiB, about 10.0 s left",
        "read 4 of 10 files, 4.0 KiB of 10.0 KiB, about 12.0 s left",
    ]


def test_what_was_left_out_is_one_line_each_whatever_it_is_called() -> None:
    lines = list(left_out_lines([LeftOut("a\nb", "x"), LeftOut("c", "y")], 1))
    assert lines == ["left out: a\\nb: x", "left out: and 1 more (-v shows them)"]
