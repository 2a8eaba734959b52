"""Settings of the built-in tasks."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from samerun.config.schema import standing_of
from samerun.trainers.supervised.tasks.config import DigitsTable, ImagesTable, TableTable, TextTable


@pytest.mark.parametrize("values", [{"test_fraction": 0.0}, {"test_fraction": 0.6, "validation_fraction": 0.4}])
def test_a_split_that_leaves_nothing_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        DigitsTable.model_validate(values)


@pytest.mark.parametrize("table", [TableTable, ImagesTable, TextTable])
def test_a_path_is_aside_and_must_be_given(table: type[TableTable]) -> None:
    assert standing_of(table.model_fields["path"]).group == "aside"
    assert table.model_fields["path"].is_required()


def test_everything_else_of_a_task_is_identity() -> None:
    for table in (DigitsTable, TableTable, ImagesTable, TextTable):
        groups = {name: standing_of(field).group for name, field in table.model_fields.items() if name != "path"}
        assert set(groups.values()) == {"experiment"}
