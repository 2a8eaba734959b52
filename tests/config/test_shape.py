"""Which table stands where."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from samerun.config.parts import PartChoice, PartSlot, find_part
from samerun.config.schema import RunTable, Table
from samerun.config.shape import content_of, default_kind_at, fields_of, table_at


def practice(project: Path) -> type[Table]:
    return find_part("trainers", "practice.parts:TRAINER", project).config


DATA: dict[str, Any] = {
    "model": {"kind": "practice.parts:CNN"},
    "optimizer": {},
    "groups": [{"match": "a"}],
    "schedule": {"kind": "nobody"},
}


def test_tables_are_found_through_slots_lists_and_null(project: Path) -> None:
    root = practice(project)
    paths: list[tuple[str | int, ...]] = [
        (),
        ("model",),
        ("optimizer",),
        ("groups", 0),
        ("stop",),
        ("checkpoint", "best"),
    ]
    tables = [table_at(root, DATA, path, project) for path in paths]
    assert [table.__name__ for table in tables if table] == [
        "PracticeTable",
        "CnnTable",
        "SgdTable",
        "GroupTable",
        "StopTable",
        "BestTable",
    ]


def test_what_is_no_table_or_unknown_is_none(project: Path) -> None:
    root = practice(project)
    paths: list[tuple[str | int, ...]] = [
        ("rate",),
        ("nope",),
        ("schedule",),
        ("groups",),
        ("model", "channels"),
        ("rate", "x"),
    ]
    assert [table_at(root, DATA, path, project) for path in paths] == [None] * 6


def test_the_default_kind_of_a_slot_is_known(project: Path) -> None:
    root = practice(project)
    assert default_kind_at(root, {}, ("optimizer",), project) == "practice.parts:SGD"
    assert default_kind_at(root, {}, ("model",), project) is None
    assert default_kind_at(root, {}, ("rate",), project) is None


def test_fields_go_by_the_key_that_a_recipe_writes() -> None:
    init = content_of(RunTable.model_fields["init"].annotation)
    assert isinstance(init, type)
    assert list(fields_of(init)) == ["from", "revision"]


def test_a_slot_is_found_beside_null() -> None:
    slot = PartSlot("models")
    assert content_of(Annotated[PartChoice, slot] | None) == slot
    assert content_of(dict[str, int]) is None
