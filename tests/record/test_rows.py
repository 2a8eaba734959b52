"""Logs of rows: what was flushed is there, what was changed is found, what is cut off is kept."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from samerun.base import files
from samerun.base.digest import sha256_file
from samerun.errors import DamageError, MissingError
from samerun.record import layout
from samerun.record.rows import LogMark, RowLog, end_mark, iter_rows, start_mark


def write(folder: Path, count: int, *, part_limit: int = 10**9) -> list[LogMark]:
    """Write `count` rows and return the mark before each and after the last."""
    log = RowLog.open(folder, "metrics", None, 1, part_limit=part_limit)
    marks = [log.mark()]
    for step in range(count):
        log.append({"step": step, "train/loss": 1 / (step + 1)})
        marks.append(log.mark())
    log.close()
    return marks


def steps(folder: Path, until: LogMark | None = None) -> list[int]:
    return [row["step"] for row in iter_rows(folder, "metrics", until=until)]


def lines_of(folder: Path) -> list[bytes]:
    return (folder / "metrics.jsonl").read_bytes().splitlines(keepends=True)


def test_rows_come_back_in_order_without_their_sums(tmp_path: Path) -> None:
    write(tmp_path, 3)
    assert list(iter_rows(tmp_path, "metrics")) == [
        {"step": 0, "train/loss": 1},
        {"step": 1, "train/loss": 0.5},
        {"step": 2, "train/loss": 1 / 3},
    ]


def test_the_sum_is_the_last_key_of_a_line(tmp_path: Path) -> None:
    write(tmp_path, 1)
    assert list(json.loads(lines_of(tmp_path)[0])) == ["step", "train/loss", "sum"]


def test_equal_rows_give_equal_files(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
        write(tmp_path / name, 5)
    assert lines_of(tmp_path / "a") == lines_of(tmp_path / "b")


def test_a_row_is_readable_before_any_sync(tmp_path: Path) -> None:
    log = RowLog.open(tmp_path, "metrics", None, 1)
    log.append({"step": 0})
    assert steps(tmp_path) == [0]
    log.close()


def test_every_flipped_byte_is_found(tmp_path: Path) -> None:
    marks = write(tmp_path, 3)
    whole = (tmp_path / "metrics.jsonl").read_bytes()
    for position in range(len(whole)):
        for bit in (0x01, 0x20, 0x80):
            damaged = bytearray(whole)
            damaged[position] ^= bit
            (tmp_path / "metrics.jsonl").write_bytes(damaged)
            with pytest.raises(DamageError):
                steps(tmp_path, until=marks[-1])


@pytest.mark.parametrize(
    "order", [[1, 2, 3], [0, 2, 3], [0, 1, 3], [1, 0, 2, 3], [0, 0, 1, 2, 3], [0, 1, 2, 2, 3], [3, 2, 1, 0]]
)
def test_dropped_swapped_and_doubled_rows_are_found(tmp_path: Path, order: list[int]) -> None:
    write(tmp_path, 4)
    lines = lines_of(tmp_path)
    (tmp_path / "metrics.jsonl").write_bytes(b"".join(lines[index] for index in order))
    with pytest.raises(DamageError):
        steps(tmp_path)


def test_an_edited_number_is_found_and_its_row_named(tmp_path: Path) -> None:
    write(tmp_path, 4)
    path = tmp_path / "metrics.jsonl"
    path.write_bytes(path.read_bytes().replace(b"0.5", b"0.4"))
    with pytest.raises(DamageError, match=r"row 2 of the log"):
        steps(tmp_path)


def test_a_forged_row_with_a_sum_of_its_own_is_found(tmp_path: Path) -> None:
    write(tmp_path, 3)
    lines = lines_of(tmp_path)
    (tmp_path / "other").mkdir()
    log = RowLog.open(tmp_path / "other", "metrics", None, 1)
    log.append({"step": 0, "train/loss": 0.001})
    log.close()
    (tmp_path / "metrics.jsonl").write_bytes(b"".join([*lines_of(tmp_path / "other"), *lines[1:]]))
    with pytest.raises(DamageError):
        steps(tmp_path)


def test_one_log_cannot_stand_in_for_another(tmp_path: Path) -> None:
    write(tmp_path, 2)
    (tmp_path / "metrics.jsonl").rename(tmp_path / "trail.jsonl")
    with pytest.raises(DamageError):
        list(iter_rows(tmp_path, "trail"))


def test_only_a_last_line_without_newline_is_torn(tmp_path: Path) -> None:
    write(tmp_path, 3)
    path = tmp_path / "metrics.jsonl"
    whole = path.read_bytes()
    start = whole.rindex(b"\n", 0, -1) + 1
    for length in range(start, len(whole)):
        path.write_bytes(whole[:length])
        assert steps(tmp_path) == [0, 1]


def test_a_log_shorter_than_its_mark_is_damage(tmp_path: Path) -> None:
    marks = write(tmp_path, 3)
    path = tmp_path / "metrics.jsonl"
    whole = path.read_bytes()
    for length in (0, 5, marks[2].bytes, marks[3].bytes - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(DamageError, match="SR-RECORD-013"):
            RowLog.open(tmp_path, "metrics", marks[3], 2)
    path.unlink()
    with pytest.raises(DamageError):
        RowLog.open(tmp_path, "metrics", marks[3], 2)


def test_a_mark_of_another_log_is_refused(tmp_path: Path) -> None:
    marks = write(tmp_path, 3)
    wrong = LogMark(marks[2].bytes, marks[2].rows, "0" * 16, 0)
    with pytest.raises(DamageError, match="SR-RECORD-014"):
        RowLog.open(tmp_path, "metrics", wrong, 2)
    off = LogMark(marks[2].bytes + 1, marks[2].rows, marks[2].sum, 0)
    with pytest.raises(DamageError, match="SR-RECORD-014"):
        RowLog.open(tmp_path, "metrics", off, 2)


@pytest.mark.parametrize("part_limit", [10**9, 150])
@pytest.mark.parametrize("kept", range(8))
def test_a_log_cut_at_any_mark_and_written_again_is_the_same_log(tmp_path: Path, kept: int, part_limit: int) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    marks = write(tmp_path / "a", 7, part_limit=part_limit)
    write(tmp_path / "b", 7, part_limit=part_limit)
    last_part = layout.log_part_name("metrics", layout.log_parts(tmp_path / "b", "metrics")[-1])
    with (tmp_path / "b" / last_part).open("ab") as torn:
        torn.write(b'{"step":7,"trai')
    log = RowLog.open(tmp_path / "b", "metrics", marks[kept], 2, part_limit=part_limit)
    assert log.mark() == marks[kept]
    for step in range(kept, 7):
        log.append({"step": step, "train/loss": 1 / (step + 1)})
    assert log.mark() == marks[-1]
    log.close()
    assert contents(tmp_path / "a") == {
        name: data for name, data in contents(tmp_path / "b").items() if not name.startswith("attempts")
    }
    kept_bytes = b"".join(data for name, data in contents(tmp_path / "b").items() if name.startswith("attempts"))
    assert b'{"step":7,"trai' in kept_bytes
    assert kept_bytes.count(b"\n") == 7 - kept


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_what_was_cut_off_is_named_by_its_digest(tmp_path: Path) -> None:
    marks = write(tmp_path, 4)
    for mark in (marks[3], marks[1]):
        RowLog.open(tmp_path, "metrics", mark, 2).close()
    kept = list((tmp_path / "attempts" / "0002").iterdir())
    assert len(kept) == 2
    for path in kept:
        assert layout.kept_digest(path.name) == sha256_file(path).removeprefix("sha256:")[:16]


def test_a_cut_that_takes_nothing_leaves_no_attempt_folder(tmp_path: Path) -> None:
    marks = write(tmp_path, 4)
    RowLog.open(tmp_path, "metrics", marks[-1], 2).close()
    assert not (tmp_path / "attempts").exists()


def test_a_log_without_a_mark_starts_again_and_keeps_what_was_there(tmp_path: Path) -> None:
    write(tmp_path, 3, part_limit=100)
    log = RowLog.open(tmp_path, "metrics", None, 2)
    assert log.mark() == start_mark("metrics")
    log.close()
    assert steps(tmp_path) == []
    assert len(list((tmp_path / "attempts" / "0002").iterdir())) == 3


def test_a_missing_part_is_damage(tmp_path: Path) -> None:
    write(tmp_path, 6, part_limit=100)
    for part in ("metrics.jsonl", "metrics.0001.jsonl", "metrics.0003.jsonl"):
        (tmp_path / part).rename(tmp_path / "away")
        with pytest.raises(DamageError, match="SR-RECORD-012"):
            steps(tmp_path)
        (tmp_path / "away").rename(tmp_path / part)
    assert steps(tmp_path) == list(range(6))


def test_a_torn_line_before_a_further_part_is_damage(tmp_path: Path) -> None:
    write(tmp_path, 3, part_limit=100)
    path = tmp_path / "metrics.0001.jsonl"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DamageError, match="SR-RECORD-011"):
        steps(tmp_path)


def test_a_reader_follows_a_writer_into_a_new_part(tmp_path: Path) -> None:
    log = RowLog.open(tmp_path, "metrics", None, 1, part_limit=100)
    log.append({"step": 0, "pad": "x" * 40})
    log.append({"step": 1, "pad": "x" * 40})
    rows = iter_rows(tmp_path, "metrics")
    assert next(rows)["step"] == 0
    for step in range(2, 6):
        log.append({"step": step, "pad": "x" * 40})
    assert [row["step"] for row in rows] == [1, 2, 3, 4, 5]
    log.close()


@pytest.fixture
def full_disk() -> Iterator[None]:
    yield
    files.on_operation(None)


@pytest.mark.usefixtures("full_disk")
def test_a_row_that_did_not_fit_leaves_the_log_as_it_was(tmp_path: Path) -> None:
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


def test_a_kill_at_any_moment_of_a_cut_loses_nothing(tmp_path: Path) -> None:
    class KilledError(BaseException):
        pass

    for moment in range(40):
        folder = tmp_path / str(moment)
        folder.mkdir()
        marks = write(folder, 6, part_limit=100)
        count = 0

        def die(operation: str, path: Path, moment: int = moment) -> None:
            nonlocal count
            count += 1
            if count > moment:
                raise KilledError

        files.on_operation(die)
        try:
            RowLog.open(folder, "metrics", marks[2], 2, part_limit=100).close()
            done = True
        except KilledError:
            done = False
        finally:
            files.on_operation(None)
        RowLog.open(folder, "metrics", marks[2], 2, part_limit=100).close()
        assert steps(folder) == [0, 1]
        everything = b"".join(contents(folder).values())
        for step in range(6):
            assert b'"step":%d' % step in everything
        if done:
            return
    raise AssertionError("the cut never came to its end")


@pytest.mark.parametrize("row", [{}, {"sum": 1}, {"a": 1, "sum": "x"}])
def test_rows_that_would_break_the_chain_are_refused(tmp_path: Path, row: dict[str, object]) -> None:
    log = RowLog.open(tmp_path, "metrics", None, 1)
    with pytest.raises(ValueError):
        log.append(row)
    log.close()
    assert steps(tmp_path) == []


def test_a_mark_survives_json_and_nothing_else_is_taken_for_one() -> None:
    mark = LogMark(10, 2, "0123456789abcdef", 1)
    assert LogMark.from_json(mark.as_json(), "here") == mark
    for wrong in (
        None,
        {},
        {**mark.as_json(), "rows": -1},
        {**mark.as_json(), "rows": True},
        {**mark.as_json(), "x": 1},
    ):
        with pytest.raises(DamageError, match="SR-RECORD-016"):
            LogMark.from_json(wrong, "here")
