"""Where a secret begins and ends in a text, and that no text takes longer than its length allows."""

from __future__ import annotations

import time

import pytest

from samerun.base.secret_text import is_harmless_value, is_secret_beside, secret_spans


def parts(text: str) -> list[str]:
    return [text[start:end] for start, end in secret_spans(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("f(password=hunter2, x=(1, 2))", ["hunter2"]),
        ("f(x, password=pass(word))", ["pass(word)"]),
        ("password = 'it''s'", ["it"]),
        (r'password = "a \" quote" # no', [r"a \" quote"]),
        ("PASSWORD=ab,cd;ef", ["ab,cd;ef"]),
        ("password=a password=b", ["a", "b"]),
        ("url_key=https://h/?password=abcd1234", ["abcd1234"]),
        ('{"env": "API_KEY=abcd1234"}', ["abcd1234"]),
        ("a:b@c ://x:y@z", ["x:y"]),
        ("https://user@host/x", []),
        ("https://host:8080/path?x=a@b", []),
        ("token: null, secret: keep, password: none", []),
        ("--user 1000:1000 -u 0:0", []),
    ],
)
def test_the_value_alone_is_taken(text: str, found: list[str]) -> None:
    assert parts(text) == found


def test_what_refers_to_a_secret_is_none() -> None:
    for value in (
        "env:NAME",
        "file:/run/x",
        "[redacted]",
        "<your token>",
        "${A}",
        "$A",
        "{{ secrets.A }}",
        "***",
        "none",
    ):
        assert is_harmless_value(value)
        assert not is_secret_beside("password", value)
    assert is_secret_beside("password", "x") and not is_secret_beside("name", "x")


BOMBS = {
    "letters": "a",
    "digits": "1",
    "schemes": "://",
    "users": "://a@",
    "passwords of URLs": "://:a://",
    "names": "key=",
    "secret names": "password=",
    "open quotes": 'password="',
    "escapes": "password='\\",
    "options": "--token ",
    "tokens": "token: ",
    "web tokens": "eyJaaaaaaaa-",
    "web tokens with dots": "eyJaaaaaaaa.",
    "prefixes": "ghp_",
    "mail keys": "SG.aaaaaaaaaaaaaaaa.",
    "private keys": "-----BEGIN PRIVATE KEY-----",
    "headers": "authorization: bearer ",
    "cookies": "cookie: a=",
    "encoded": "%3A%2F%2Fa",
    "encoded queries": "%3ftoken%3dx",
    "queries": "&token=%26",
    "elements": "<token>",
    "netrc": "machine a login b password ",
    "spaces": " ",
    "base 64": "A" * 75 + "+AS",
    "dots": "a.",
    "brackets": "password=)",
    "bots": "12345678:",
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_text_made_to_be_slow_takes_time_in_proportion_to_its_length(name: str) -> None:
    """Sixteen times the text: a quadratic search takes 256 times as long, a linear one about 16 times."""
    ratio = min(_seconds(BOMBS[name], 400_000) / _seconds(BOMBS[name], 25_000) for _ in range(3))
    assert ratio < 64


def _seconds(unit: str, length: int) -> float:
    text = (unit * (length // len(unit) + 1))[:length]
    began = time.perf_counter()
    secret_spans(text)
    return time.perf_counter() - began


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_ten_megabytes_of_it_end(name: str) -> None:
    ratio = _seconds(BOMBS[name], 10_000_000) / _seconds(BOMBS[name], 1_000_000)
    assert ratio < 30
