"""Logs of rows: what was appended comes back, and a row that could not be written leaves no trace."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from samerun.base import files
from samerun.errors import MissingError
from samerun.record.rows import LogMark, RowLog, end_mark, iter_rows

Write = Callable[..., list[LogMark]]
Steps = Callable[..., list[int]]


def lines_of(folder: Path) -> list[bytes]:
    return (folder / "metrics.jsonl").read_bytes().splitlines(keepends=True)


def test_rows_come_back_in_order_without_their_sums(tmp_path: Path, write: Write) -> None:
    write(tmp_path, 3)
    assert list(iter_rows(tmp_path, "metrics")) == [
        {"step": 0, "train/loss": 1},
        {"step": 1, "train/loss": 0.5},
        {"step": 2, "train/loss": 1 / 3},
    ]


def test_the_sum_is_the_last_key_of_a_line(tmp_path: Path, write: Write) -> None:
    write(tmp_path, 1)
    assert list(json.loads(lines_of(tmp_path)[0])) == ["step", "train/loss", "sum"]


def test_equal_rows_give_equal_files(tmp_path: Path, write: Write) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
        write(tmp_path / name, 5)
    assert lines_of(tmp_path / "a") == lines_of(tmp_path / "b")


def test_a_row_is_readable_before_any_sync(tmp_path: Path, steps: Steps) -> None:
    log = RowLog.open(tmp_path, "metrics", None, 1)
    log.append({"step": 0})
    assert steps(tmp_path) == [0]
    log.close()


@pytest.fixture
def full_disk() -> Iterator[None]:
    yield
    files.on_operation(None)


@pytest.mark.usefixtures("full_disk")
def test_a_row_that_did_not_fit_leaves_the_log_as_it_was(tmp_path: Path, steps: Steps) -> None:
    log = RowLog.open(tmp_path, "metrics", None, 1)
    log.append({"step": 0})
    before = log.mark()

    def no_room(operation: str, path: Path) -> None:
        raise OSError(28, "No space left on device")

    files.on_operation(no_room)
    with pytest.raises(MissingError):
        log.append({"step": 1})
    files.on_operation(None)
    assert log.mark() == before == end_mark(tmp_path, "metrics")
    log.append({"step": 1})
    log.close()
    assert steps(tmp_path) == [0, 1]


@pytest.mark.parametrize("row", [{}, {"sum": 1}, {"a": 1, "sum": "x"}])
def test_rows_that_would_break_the_chain_are_refused(tmp_path: Path, row: dict[str, object], steps: Steps) -> None:
    log = RowLog.open(tmp_path, "metrics", None, 1)
    with pytest.raises(ValueError):
        log.append(row)
    log.close()
    assert steps(tmp_path) == []
