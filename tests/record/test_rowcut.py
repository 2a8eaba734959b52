"""Cutting a log back: what is before the position is verified, what is after it is kept elsewhere."""

from collections.abc import Callable
from pathlib import Path

import pytest

from samerun.base import files
from samerun.base.digest import sha256_file
from samerun.errors import DamageError
from samerun.record import layout
from samerun.record.rows import LogMark, RowLog, start_mark

Write = Callable[..., list[LogMark]]
Steps = Callable[..., list[int]]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_log_shorter_than_its_mark_is_damage(tmp_path: Path, write: Write) -> None:
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


def test_a_mark_of_another_log_is_refused(tmp_path: Path, write: Write) -> None:
    marks = write(tmp_path, 3)
    wrong = LogMark(marks[2].bytes, marks[2].rows, "0" * 16, 0)
    with pytest.raises(DamageError, match="SR-RECORD-014"):
        RowLog.open(tmp_path, "metrics", wrong, 2)
    off = LogMark(marks[2].bytes + 1, marks[2].rows, marks[2].sum, 0)
    with pytest.raises(DamageError, match="SR-RECORD-014"):
        RowLog.open(tmp_path, "metrics", off, 2)


@pytest.mark.parametrize("part_limit", [10**9, 150])
@pytest.mark.parametrize("kept", range(8))
def test_a_log_cut_at_any_mark_and_written_again_is_the_same_log(
    tmp_path: Path, kept: int, part_limit: int, write: Write
) -> None:
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


def test_what_was_cut_off_is_named_by_its_digest(tmp_path: Path, write: Write) -> None:
    marks = write(tmp_path, 4)
    for mark in (marks[3], marks[1]):
        RowLog.open(tmp_path, "metrics", mark, 2).close()
    kept = list((tmp_path / "attempts" / "0002").iterdir())
    assert len(kept) == 2
    for path in kept:
        assert layout.kept_digest(path.name) == sha256_file(path).removeprefix("sha256:")[:16]


def test_a_cut_that_takes_nothing_leaves_no_attempt_folder(tmp_path: Path, write: Write) -> None:
    marks = write(tmp_path, 4)
    RowLog.open(tmp_path, "metrics", marks[-1], 2).close()
    assert not (tmp_path / "attempts").exists()


def test_a_log_without_a_mark_starts_again_and_keeps_what_was_there(tmp_path: Path, write: Write, steps: Steps) -> None:
    write(tmp_path, 3, part_limit=100)
    log = RowLog.open(tmp_path, "metrics", None, 2)
    assert log.mark() == start_mark("metrics")
    log.close()
    assert steps(tmp_path) == []
    assert len(list((tmp_path / "attempts" / "0002").iterdir())) == 3


def test_a_kill_at_any_moment_of_a_cut_loses_nothing(tmp_path: Path, write: Write, steps: Steps) -> None:
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
