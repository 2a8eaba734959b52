"""The rows of a table as entries."""

from __future__ import annotations

import datetime
from pathlib import Path
from unicodedata import normalize

import pytest

from samerun.data.entry import Entry
from samerun.data.rules import CONTENT
from samerun.data.table_items import item_texts, table_entries
from samerun.errors import MissingError, RefusedError, SamerunError, UsageError

BY_CONTENT = {"id": CONTENT}


def csv(folder: Path, text: str) -> Path:
    path = folder / "x.csv"
    path.write_text(text)
    return path


def test_columns_give_id_label_group_and_time(tmp_path: Path) -> None:
    path = csv(tmp_path, "who,kind,site,when\nanna,cat,2,2024\nbert,,,\n")
    rules = {"id": "who", "label": "kind", "group": "site", "time": "when"}
    first, second = table_entries(path, rules)
    assert (first.id, *first[3:6]) == ("anna", "cat", "2", "2024") and second[3:6] == (None, None, None)
    assert first.size == len(b'{"kind":"cat","site":"2","when":"2024","who":"anna"}')


def test_neither_the_order_of_rows_nor_that_of_columns_changes_an_entry(tmp_path: Path) -> None:
    one = table_entries(csv(tmp_path, "a,b\n1,2\n3,4\n1,2\n"), BY_CONTENT)
    assert table_entries(csv(tmp_path, "b,a\n2,1\n2,1\n4,3\n"), BY_CONTENT) == one
    assert len({entry.id for entry in one}) == 3 and sum(entry.id.endswith("-2") for entry in one) == 1


def test_one_cell_that_changed_is_another_content_under_the_same_id(tmp_path: Path) -> None:
    rules = {"id": "a"}
    (one,) = table_entries(csv(tmp_path, "a,b\n1,2\n"), rules)
    (other,) = table_entries(csv(tmp_path, "a,b\n1,3\n"), rules)
    assert one.id == other.id and one.sha256 != other.sha256


def test_values_of_parquet_and_json_have_one_spelling(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    day = datetime.date(2024, 1, 2)
    columns = {"d": [day], "b": [b"x"], "l": [[1, None]], "s": [{"k": 1.5}], "n": [None], "nan": [float("nan")]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "x.parquet")
    (tmp_path / "x.jsonl").write_text(
        '{"nan": "NaN", "s": {"k": 1.5}, "l": [1, null], "b": "base64:eA==", "d": "2024-01-02"}\n'
    )
    assert table_entries(tmp_path / "x.parquet", BY_CONTENT) == table_entries(tmp_path / "x.jsonl", BY_CONTENT)


def test_ids_are_unique_and_there_in_one_unicode_form(tmp_path: Path) -> None:
    assert table_entries(csv(tmp_path, f"a\n{normalize('NFD', 'é')}\n"), {"id": "a"})[0].id == "é"
    text = f"a,b\né,1\n{normalize('NFD', 'é')},2\n,3\n"
    with pytest.raises(RefusedError, match="SR-DATA-021") as caught:
        table_entries(csv(tmp_path, text), {"id": "a"})
    assert caught.value.evidence == ("row 2: 'é', 2 times", "row 3: 'é', 2 times", "row 4: none")


@pytest.mark.parametrize(
    ("name", "text", "rules", "kind", "code"),
    [
        ("x.csv", "a\n1\n", {"id": "b"}, UsageError, "SR-DATA-020"),
        ("x.csv", "a,b\n1\n", BY_CONTENT, UsageError, "SR-DATA-025"),
        ("x.txt", "a", BY_CONTENT, UsageError, "SR-DATA-025"),
        ("x.jsonl", "{", BY_CONTENT, UsageError, "SR-DATA-025"),
        (".", "", BY_CONTENT, MissingError, "SR-DATA-015"),
    ],
)
def test_what_is_no_table_is_refused(
    tmp_path: Path, name: str, text: str, rules: dict[str, str], kind: type[SamerunError], code: str
) -> None:
    if text:
        (tmp_path / name).write_text(text)
    with pytest.raises(kind, match=code):
        table_entries(tmp_path / name, rules)


def test_a_table_without_rows_has_no_entries_and_texts_go_by_id(tmp_path: Path) -> None:
    assert table_entries(csv(tmp_path, "a,b\n"), {"id": "nope"}) == []
    path = csv(tmp_path, "a,b\n1,x y\n1,x y\n")
    assert set(item_texts(path, BY_CONTENT).values()) == {"1\nx y"} and len(item_texts(path, BY_CONTENT)) == 2
    assert all(isinstance(entry, Entry) for entry in table_entries(path, BY_CONTENT))
