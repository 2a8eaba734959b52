"""Fields that are a part chosen by `kind`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import pytest
from pydantic import ValidationError

from samerun.config.parts import DEFAULT_PART, PartChoice, PartSlot, find_part, list_parts, parts
from samerun.config.resolved import Config
from samerun.config.schema import Table


class Holder(Table):
    optimizer: Annotated[PartChoice, PartSlot("optimizers", default="sgd")] = DEFAULT_PART


def test_a_choice_holds_the_part_and_its_settings(resolved: Callable[..., Config]) -> None:
    choice = resolved("", "model.hidden=[7]").values.model  # type: ignore[attr-defined]
    assert (choice.kind, choice.part.name, choice.settings.hidden) == ("practice.parts:MLP", "mlp", (7,))
    assert choice.build()(choice.settings) == (7,)
    assert choice.plain() == {"kind": "practice.parts:MLP", "hidden": [7], "dropout": 0.0, "note": ""}


def test_a_slot_with_a_default_kind_needs_no_table() -> None:
    choice = Holder.model_validate_json("{}").optimizer
    assert (choice.kind, choice.part) == ("sgd", find_part("optimizers", "sgd", None))


def test_choices_are_values() -> None:
    one, two = Holder.model_validate_json("{}"), Holder.model_validate_json('{"optimizer": {"kind": "sgd"}}')
    assert one == two
    assert Holder.model_validate({"optimizer": one.optimizer}) == one
    with pytest.raises(ValidationError):
        Holder.model_validate_json('{"optimizer": {"kind": "sgd", "momentun": 1}}')


def test_the_verb_is_a_function() -> None:
    assert parts is list_parts
