"""A small log, and a reader of its steps, for the tests of rows."""

from collections.abc import Callable
from pathlib import Path

import pytest

from samerun.record.rows import LogMark, RowLog, iter_rows


@pytest.fixture
def write() -> Callable[..., list[LogMark]]:
    """Write `count` rows of metrics and return the mark before each and after the last."""

    def write(folder: Path, count: int, *, part_limit: int = 10**9) -> list[LogMark]:
        log = RowLog.open(folder, "metrics", None, 1, part_limit=part_limit)
        marks = [log.mark()]
        for step in range(count):
            log.append({"step": step, "train/loss": 1 / (step + 1)})
            marks.append(log.mark())
        log.close()
        return marks

    return write


@pytest.fixture
def steps() -> Callable[..., list[int]]:
    """Read the steps of the rows of metrics."""

    def steps(folder: Path, until: LogMark | None = None) -> list[int]:
        return [row["step"] for row in iter_rows(folder, "metrics", until=until)]

    return steps
