"""Literals are judged by the name that they are given, however the two are written."""

from __future__ import annotations

import tokenize

import pytest

from samerun.record.literals import literal_spans


@pytest.mark.parametrize(
    "line",
    [
        'PASSWORD = f"hunter2hunter2"',
        'PASSWORD = (\n    "hunter2hunter2"\n)',
        'f(api_key=b"hunter2hunter2")',
        '{"api_key": b"hunter2hunter2"}',
        'PASSWORD = "plain words " "hunter2"',
        'PASSWORD = "plain words " + "hunter2"',
        'def f(password: str = "hunter2hunter2"): pass',
        'self.password: Optional[str] = "hunter2hunter2"',
        'if x: password = "hunter2hunter2"',
        'api_key = given or "hunter2hunter2"',
        'x = os.environ.get("API_KEY") or "hunter2hunter2"',
        'f(api_key=given if given else "hunter2hunter2")',
        "x = f\"a {get('API_KEY', 'hunter2hunter2')}\"",
        'password = """hunter2\nhunter2"""',
        "# password = 'hunter2hunter2'",
    ],
)
def test_a_literal_under_a_secret_name_is_found(line: str) -> None:
    assert any("hunter2" in line[start:end] for start, end, _ in literal_spans(line))


@pytest.mark.parametrize(
    "line",
    [
        'password = f"{a}-{b}"',
        'f(password, "x")',
        'x = given or "plain words"',
        'f(password=x, other=y or "plain")',
        'api_key: Optional[str] = ""',
        'PASSWORD = "[redacted]" "[redacted]" "[redacted]" "[redacted]" "[redacted]"',
        '"""Set api_key = os.environ["X"] first."""',
        "secret_name = 'x'",
        '__all__ = ["Password", "PasswordStage", "Other"]',
        'parser.add_argument("--password", "-p", help="words")',
        "d = {'x': 1, 'password': None, 'y': 'plain'}",
    ],
)
def test_any_other_is_not(line: str) -> None:
    assert literal_spans(line) == []


def test_bytes_stay_bytes_and_half_a_literal_is_an_error() -> None:
    assert [mark for _, _, mark in literal_spans("x(api_key=rb'hunter2hunter2')")] == ['b"[redacted]"']
    with pytest.raises((SyntaxError, tokenize.TokenError)):
        literal_spans("x = 'abc")
