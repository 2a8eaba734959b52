"""Conditions on runs."""

from __future__ import annotations

import pytest

from samerun.errors import UsageError
from samerun.record.where import parse_where

FACTS = {
    "status": "stopped",
    "step": 12,
    "train/loss": 0.25,
    "big": str(2**60),
    "nan": "NaN",
    "config.ema": None,
    "config.bias": True,
}


@pytest.mark.parametrize(
    "text",
    [
        "status=stopped",
        "status!=completed",
        "status~top",
        "step=12",
        "step = 12.0",
        "step>=12 and step<=12, step<13",
        "train/loss<1e-0",
        "train/loss>0.2 and status=stopped",
        "status='stopped'",
        f"big={2**60}",
        f"big>{2**60 - 1}",
        "gone!=3",
        "config.ema=null",
        "config.bias=true",
        "config.bias!=1",
        "nan=NaN",
    ],
)
def test_a_condition_that_holds(text: str) -> None:
    assert all(condition.holds(FACTS) for condition in parse_where(text))


@pytest.mark.parametrize(
    "text",
    ["status=completed", "step>12", "gone=3", "gone<3", "status<3", "step!=12", "config.ema=0", "nan>0", "nan<0"],
)
def test_a_condition_that_does_not_hold(text: str) -> None:
    assert not all(condition.holds(FACTS) for condition in parse_where(text))


@pytest.mark.parametrize("text", ["", "status", "=3", "step=", "a=1 and", "__import__('os')"])
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="SR-LS-001"):
        parse_where(text)
