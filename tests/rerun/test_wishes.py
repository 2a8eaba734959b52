"""Seeds and time limits as a command is given them."""

from __future__ import annotations

import pytest

from samerun.errors import UsageError
from samerun.rerun.wishes import seconds_of, seed_of


def test_a_seed_may_be_a_number_or_its_text() -> None:
    assert (seed_of(None), seed_of(7), seed_of("7"), seed_of(str(2**128 - 1))) == (None, 7, 7, 2**128 - 1)


@pytest.mark.parametrize("seed", ["-1", "7.0", "", "seven", str(2**128), "9" * 5000, "\u0663"])
def test_anything_else_is_no_seed(seed: str) -> None:
    with pytest.raises(UsageError, match="SR-SEED-"):
        seed_of(seed)


def test_a_time_limit_is_a_span() -> None:
    assert (seconds_of(None), seconds_of("1h30m")) == (None, 5400.0)
