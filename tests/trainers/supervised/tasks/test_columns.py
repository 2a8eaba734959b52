"""CSV and Parquet files as columns."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from samerun.errors import ConfigError
from samerun.trainers.supervised.tasks.columns import read_columns


def csv(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "data.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_column_whose_cells_all_write_numbers_is_numbers(tmp_path: Path) -> None:
    columns = read_columns(csv(tmp_path, "a,b,c\n1,x,2.5\n-3e2,y,\n"), "data.csv")
    assert columns.names == ("a", "b", "c")
    assert columns.values == ((1.0, -300.0), ("x", "y"), (2.5, None))
    assert columns.num_rows == 2 and columns.first_line == 2


def test_quotes_byte_order_mark_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    columns = read_columns(csv(tmp_path, b'\xef\xbb\xbfa,"b c"\r\n"1,5",2\r\n\r\n"two\nlines",3\r\n'), "data.csv")
    assert columns.names == ("a", "b c")
    assert columns.column("b c") == (2.0, 3.0)


@pytest.mark.parametrize("cell", ["1_000", "0x10", "yes"])
def test_what_is_no_plain_number_stays_text(tmp_path: Path, cell: str) -> None:
    assert read_columns(csv(tmp_path, f"a\n1\n{cell}\n"), "data.csv").column("a") == ("1", cell)


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("", "SR-TASK-004", "no line"),
        ("a,b\n", "SR-TASK-004", "no row"),
        ("a,b\n1,2\n1\n", "SR-TASK-005", "line 3: 1 cells, 2 in the header"),
        ("a,a\n1,2\n", "SR-TASK-005", "named twice: a"),
        (b"a\n\xff\n", "SR-TASK-005", "byte 2 is not UTF-8"),
        ('a\n"x\n', "SR-TASK-005", "line"),
    ],
    ids=["empty", "header only", "ragged", "twice", "bytes", "open quote"],
)
def test_what_is_no_table_is_refused(tmp_path: Path, text: str | bytes, code: str, words: str) -> None:
    with pytest.raises(ConfigError, match=code) as caught:
        read_columns(csv(tmp_path, text), "data.csv")
    assert words in str(caught.value)


def test_a_folder_or_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data.xlsx").write_text("x")
    for path in (tmp_path, tmp_path / "data.xlsx"):
        with pytest.raises(ConfigError, match="SR-TASK-003"):
            read_columns(path, path.name)


def test_parquet_gives_the_same_columns_as_csv(tmp_path: Path) -> None:
    table = pa.table({"a": [1, -300], "b": ["x", "y"], "c": [2.5, None], "d": [True, False]})
    parquet.write_table(table, tmp_path / "data.parquet")
    columns = read_columns(tmp_path / "data.parquet", "data.parquet")
    assert columns.values == ((1.0, -300.0), ("x", "y"), (2.5, None), (1.0, 0.0))


def test_a_broken_parquet_file_or_column_is_refused(tmp_path: Path) -> None:
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 not really")
    with pytest.raises(ConfigError, match="SR-TASK-005"):
        read_columns(tmp_path / "broken.parquet", "broken.parquet")
    parquet.write_table(pa.table({"a": [[1, 2], [3]]}), tmp_path / "lists.parquet")
    with pytest.raises(ConfigError, match="column 'a' holds list"):
        read_columns(tmp_path / "lists.parquet", "lists.parquet")
