"""Tables: strict, frozen, and saying of each field whether it counts."""

from __future__ import annotations

import subprocess
import sys
from typing import Annotated, Any

import pytest
from pydantic import ValidationError

from samerun.config.schema import Aside, RunTable, Standing, Table, aside, platform_fact, standing_of


class ExampleTable(Table):
    width: int = 3
    """Width of something."""
    sizes: tuple[int, ...] = (1, 2)
    rate: float = 0
    where: str = aside("here", "a place")
    cadence: int = aside(1, "watching", unless_deciding=True)
    tier: str = platform_fact("exact", "a platform's")
    note: Annotated[str, Aside("a remark")] = ""


def read(text: str, table: type[Table] = ExampleTable) -> Any:
    return table.model_validate_json(text)


def test_lists_are_tuples_and_integers_are_numbers_where_those_are_wanted() -> None:
    values = read('{"sizes": [5, 6], "rate": 1}')
    assert values.sizes == (5, 6)
    assert values.rate == 1.0
    assert isinstance(values.rate, float)


@pytest.mark.parametrize(
    "text", ['{"width": 3.0}', '{"width": "3"}', '{"width": true}', '{"rate": "1"}', '{"rate": true}']
)
def test_nothing_else_is_converted(text: str) -> None:
    with pytest.raises(ValidationError):
        read(text)


def test_unknown_keys_and_changes_are_refused() -> None:
    with pytest.raises(ValidationError):
        read('{"widht": 3}')
    with pytest.raises(ValidationError):
        read("{}").width = 4


def test_numbers_that_are_not_finite_are_refused() -> None:
    with pytest.raises(ValidationError):
        read('{"rate": NaN}')


def test_a_field_is_described_by_the_string_under_it() -> None:
    assert ExampleTable.model_fields["width"].description == "Width of something."


def test_each_field_says_where_it_counts() -> None:
    fields = ExampleTable.model_fields
    assert standing_of(fields["width"]) == Standing("experiment")
    assert standing_of(fields["where"]) == Standing("aside", "a place")
    assert standing_of(fields["cadence"]) == Standing("aside", "watching", unless_deciding=True)
    assert standing_of(fields["tier"]) == Standing("platform", "a platform's")
    assert standing_of(fields["note"]) == Standing("aside", "a remark")


def test_every_field_of_every_recipe_is_described() -> None:
    assert [name for name, field in RunTable.model_fields.items() if not field.description] == []


def test_what_every_recipe_has_needs_a_trainer_and_steps_only() -> None:
    values = read('{"trainer": "supervised", "steps": 3}', RunTable)
    assert values.seed is None
    assert values.checkpoint.every == "15min"
    assert values.checkpoint.keep == 3


def test_no_torch_and_no_numpy_for_a_schema() -> None:
    script = "import sys, samerun.config.layers; print([m for m in ('torch', 'numpy', 'ruamel') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
