"""A recipe as it was read: where its keys stand."""

from __future__ import annotations

from samerun.config.document import Document

DOCUMENT = Document({"a": {"b": [1]}}, {("a",): 3, ("a", "b"): 4}, "folder/r.yaml", "r.yaml", b"")


def test_a_value_without_a_line_of_its_own_has_that_of_the_table_around_it() -> None:
    assert [DOCUMENT.line(path) for path in [("a",), ("a", "b"), ("a", "b", 0), ("a", "c"), ("z",), ()]] == [
        3,
        4,
        4,
        3,
        0,
        0,
    ]


def test_messages_name_the_path_and_records_only_the_file() -> None:
    assert DOCUMENT.where(("a", "b")) == "folder/r.yaml:4"
    assert DOCUMENT.origin(("a", "b")) == "r.yaml:4"
    assert DOCUMENT.origin(("z",)) == "r.yaml"
