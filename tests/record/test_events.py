"""Events: told with a time, without secrets."""

import re

import pytest

from samerun.base.canon import canonical_bytes
from samerun.record.events import KINDS, event_row


def test_an_event_says_when_and_in_which_process() -> None:
    row = event_row("stop", attempt=2, step=10, reason="SIGTERM")
    assert {key: row[key] for key in ("event", "attempt", "step", "reason")} == {
        "event": "stop",
        "attempt": 2,
        "step": 10,
        "reason": "SIGTERM",
    }
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", row["at"])
    assert canonical_bytes(row)


def test_a_secret_in_an_exception_is_redacted() -> None:
    token = "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vX7"
    row = event_row("fail", attempt=1, error=f"401 for token {token}", facts={"api_key": "0123456789abcdef0123"})
    assert token.encode() not in canonical_bytes(row) and b"0123456789abcdef" not in canonical_bytes(row)


def test_an_unknown_kind_is_refused_and_a_kind_of_ones_own_is_marked() -> None:
    with pytest.raises(ValueError, match="unknown kind"):
        event_row("stopp", attempt=1)
    assert event_row("x_mine", attempt=1)["event"] == "x_mine"


def test_every_kind_says_what_it_means() -> None:
    assert all(text and not text.endswith(".") for text in KINDS.values())
