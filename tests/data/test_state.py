"""What is no position is refused."""

from __future__ import annotations

import pytest

from samerun.data.state import check_state, whole_number
from samerun.errors import UsageError


@pytest.mark.parametrize("value", [-1, True, 1.0, "1", None])
def test_a_position_is_a_whole_number(value: object) -> None:
    with pytest.raises(UsageError, match="SR-DATA-010"):
        whole_number({"cursor": value}, "cursor")


def test_missing_and_unknown_parts_are_named() -> None:
    with pytest.raises(UsageError, match="SR-DATA-010") as caught:
        check_state({"epoch": 0, "extra": 1}, ("epoch", "cursor"))
    assert list(caught.value.evidence) == ["stored: epoch, extra", "wanted: cursor, epoch"]


def test_a_position_passes() -> None:
    check_state({"epoch": 0, "cursor": 1}, ("cursor", "epoch"))
    assert whole_number({"cursor": 2**40}, "cursor") == 2**40
