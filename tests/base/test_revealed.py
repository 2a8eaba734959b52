"""A secret that this process has read is found in every text, however it is spelled there."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from samerun.base.redact import is_secret_text, redact, redact_text
from samerun.base.revealed import forget_all, remember

VALUE = 'plain words "quoted" / und Übriges\\n'


@pytest.fixture(autouse=True)
def nothing_remains() -> Iterator[None]:
    yield
    forget_all()


def test_nothing_is_found_before_a_secret_was_read() -> None:
    assert not is_secret_text(f"it says {VALUE}")


@pytest.mark.parametrize(
    "spelled",
    [
        VALUE,
        json.dumps(VALUE),
        json.dumps(VALUE, ensure_ascii=False),
        repr(VALUE),
        quote(VALUE),
        quote(VALUE, safe=""),
        base64.b64encode(VALUE.encode()).decode(),
        VALUE.encode().hex(),
    ],
)
def test_it_is_found_in_every_spelling(spelled: str) -> None:
    remember(VALUE)
    assert redact_text(f"it says {spelled}.").startswith("it says ")
    assert "Übriges" not in redact_text(f"it says {spelled}.") and "[redacted]" in redact_text(f"it says {spelled}.")
    assert redact({"notes": [spelled], spelled: 1})[0] != {"notes": [spelled], spelled: 1}


def test_a_short_secret_goes_where_it_stands_alone() -> None:
    remember("ab1")
    assert redact_text("ab1 cab1 ab12 (ab1)") == "[redacted] cab1 ab12 ([redacted])"


def test_each_long_line_of_a_file_is_a_secret() -> None:
    remember("first line of a key file\nsecond line of a key file\nend")
    assert redact_text("found: second line of a key file") == "found: [redacted]"


def test_an_empty_secret_is_none() -> None:
    remember("")
    assert redact_text("abc") == "abc"
