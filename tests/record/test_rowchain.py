"""The chain of sums: any change to a row, to their order or to their number is found when the log is walked."""

from collections.abc import Callable
from pathlib import Path

import pytest

from samerun.errors import DamageError
from samerun.record.rows import LogMark, RowLog, iter_rows

Write = Callable[..., list[LogMark]]
Steps = Callable[..., list[int]]


def lines_of(folder: Path) -> list[bytes]:
    return (folder / "metrics.jsonl").read_bytes().splitlines(keepends=True)


def test_every_flipped_byte_is_found(tmp_path: Path, write: Write, steps: Steps) -> None:
    marks = write(tmp_path, 2)
    whole = (tmp_path / "metrics.jsonl").read_bytes()
    for position in range(len(whole)):
        for bit in (0x01, 0x80):
            damaged = bytearray(whole)
            damaged[position] ^= bit
            (tmp_path / "metrics.jsonl").write_bytes(damaged)
            with pytest.raises(DamageError):
                steps(tmp_path, until=marks[-1])


@pytest.mark.parametrize(
    "order", [[1, 2, 3], [0, 2, 3], [0, 1, 3], [1, 0, 2, 3], [0, 0, 1, 2, 3], [0, 1, 2, 2, 3], [3, 2, 1, 0]]
)
def test_dropped_swapped_and_doubled_rows_are_found(
    tmp_path: Path, order: list[int], write: Write, steps: Steps
) -> None:
    write(tmp_path, 4)
    lines = lines_of(tmp_path)
    (tmp_path / "metrics.jsonl").write_bytes(b"".join(lines[index] for index in order))
    with pytest.raises(DamageError):
        steps(tmp_path)


def test_an_edited_number_is_found_and_its_row_named(tmp_path: Path, write: Write, steps: Steps) -> None:
    write(tmp_path, 4)
    path = tmp_path / "metrics.jsonl"
    path.write_bytes(path.read_bytes().replace(b"0.5", b"0.4"))
    with pytest.raises(DamageError, match=r"row 2 of the log"):
        steps(tmp_path)


def test_a_forged_row_with_a_sum_of_its_own_is_found(tmp_path: Path, write: Write, steps: Steps) -> None:
    write(tmp_path, 3)
    lines = lines_of(tmp_path)
    (tmp_path / "other").mkdir()
    log = RowLog.open(tmp_path / "other", "metrics", None, 1)
    log.append({"step": 0, "train/loss": 0.001})
    log.close()
    (tmp_path / "metrics.jsonl").write_bytes(b"".join([*lines_of(tmp_path / "other"), *lines[1:]]))
    with pytest.raises(DamageError):
        steps(tmp_path)


def test_one_log_cannot_stand_in_for_another(tmp_path: Path, write: Write) -> None:
    write(tmp_path, 2)
    (tmp_path / "metrics.jsonl").rename(tmp_path / "trail.jsonl")
    with pytest.raises(DamageError):
        list(iter_rows(tmp_path, "trail"))


def test_only_a_last_line_without_newline_is_torn(tmp_path: Path, write: Write, steps: Steps) -> None:
    write(tmp_path, 3)
    path = tmp_path / "metrics.jsonl"
    whole = path.read_bytes()
    start = whole.rindex(b"\n", 0, -1) + 1
    for length in range(start, len(whole)):
        path.write_bytes(whole[:length])
        assert steps(tmp_path) == [0, 1]


def test_a_missing_part_is_damage(tmp_path: Path, write: Write, steps: Steps) -> None:
    write(tmp_path, 6, part_limit=100)
    for part in ("metrics.jsonl", "metrics.0001.jsonl", "metrics.0003.jsonl"):
        (tmp_path / part).rename(tmp_path / "away")
        with pytest.raises(DamageError, match="SR-RECORD-012"):
            steps(tmp_path)
        (tmp_path / "away").rename(tmp_path / part)
    assert steps(tmp_path) == list(range(6))


def test_a_torn_line_before_a_further_part_is_damage(tmp_path: Path, write: Write, steps: Steps) -> None:
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


def test_the_lines_shown_in_the_docs_are_the_beginning_of_a_chain(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs/formats/rows.md").read_text("utf-8")
    lines = [line for line in page.splitlines() if line.startswith('{"run/state_digest"')]
    (tmp_path / "metrics.jsonl").write_text("\n".join(lines) + "\n")
    assert [row["step"] for row in iter_rows(tmp_path, "metrics")] == [0, 1]
