"""Marks: notes, tags and pins that change nothing else."""

from pathlib import Path

import pytest

from samerun.base.sealed import read_sealed, write_sealed
from samerun.errors import DamageError, UsageError
from samerun.record import layout
from samerun.record.marks import Marks, read_marks, write_marks


def test_an_unmarked_run_has_empty_marks(tmp_path: Path) -> None:
    assert read_marks(tmp_path) == Marks()


def test_marks_are_read_as_they_were_written(tmp_path: Path) -> None:
    marks = (
        Marks().with_note("good").with_note("very").with_tag("b").with_tag("a").with_tag("b").with_pin(7).with_pin(3)
    )
    write_marks(tmp_path, marks)
    assert read_marks(tmp_path) == marks
    assert (marks.notes, marks.tags, marks.pins) == (("good", "very"), ("a", "b"), (3, 7))


def test_a_tag_is_a_plain_name() -> None:
    with pytest.raises(UsageError):
        Marks().with_tag("a/b")


@pytest.mark.parametrize(
    "change", [{"pins": ["1"]}, {"pins": 1}, {"tags": [1]}, {"notes": "x"}, {"archived": "no"}, {"schema": "x"}]
)
def test_a_document_of_another_shape_is_damage(tmp_path: Path, change: dict[str, object]) -> None:
    write_marks(tmp_path, Marks())
    path = tmp_path / layout.MARKS
    write_sealed(path, {**read_sealed(path), **change})
    with pytest.raises(DamageError, match="SR-RECORD-021"):
        read_marks(tmp_path)


def test_a_note_is_kept_without_its_secret() -> None:
    assert Marks().with_note("password=hunter22 worked").notes == ("password=[redacted] worked",)
