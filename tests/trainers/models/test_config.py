"""Settings of the built-in models."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from samerun.trainers.models.config import CnnTable, GptTable, MlpTable


def test_heads_that_do_not_divide_the_width_are_refused() -> None:
    with pytest.raises(ValidationError, match="cannot be shared equally by 3 heads"):
        GptTable(width=64, heads=3)


def test_channels_that_the_norm_cannot_group_are_refused() -> None:
    with pytest.raises(ValidationError, match="cannot be split into 8 groups"):
        CnnTable(channels=(12,))


def test_fewer_channels_than_groups_are_one_group_each() -> None:
    assert CnnTable(channels=(3, 8, 16)).channels == (3, 8, 16)


@pytest.mark.parametrize("dropout", [-0.1, 1.0, 1.5])
def test_a_dropout_outside_zero_to_one_is_refused(dropout: float) -> None:
    with pytest.raises(ValidationError):
        MlpTable(dropout=dropout)
