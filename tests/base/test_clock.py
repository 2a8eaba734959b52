"""Time: texts of moments, spans as people write them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from samerun.base import clock
from samerun.errors import UsageError


def test_moments_are_iso_8601_in_utc_with_milliseconds() -> None:
    assert clock.utc_text(0.0) == "1970-01-01T00:00:00.000Z"
    assert clock.utc_text(1796041845.987) == "2026-11-30T12:30:45.987Z"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", clock.utc_now())


def test_the_monotonic_clock_never_goes_back() -> None:
    first = clock.monotonic()
    clock.sleep(0.001)
    assert clock.monotonic() > first
    assert clock.wall() > 1.7e9


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("15min", 900),
        ("15m", 900),
        ("90s", 90),
        ("90 s", 90),
        ("2h", 7200),
        ("1h30m", 5400),
        ("1h 30min 5s", 5405),
        ("1d", 86400),
        ("250ms", 0.25),
        ("1.5h", 5400),
        ("42", 42),
        (42, 42),
        (0.5, 0.5),
    ],
)
def test_spans_are_read_as_people_write_them(text: str | float, seconds: float) -> None:
    assert clock.parse_duration(text) == seconds


@pytest.mark.parametrize("value", ["", "min", "-5s", "0", 0, -1, "5 parsecs", "1h-", "h1", "1e3", True, "nan", "1h x"])
def test_what_is_no_span_is_refused(value: Any) -> None:
    with pytest.raises(UsageError) as caught:
        clock.parse_duration(value)
    assert caught.value.code == "SR-TIME-001"


def test_infinity_is_no_span() -> None:
    with pytest.raises(UsageError):
        clock.parse_duration(float("inf"))
