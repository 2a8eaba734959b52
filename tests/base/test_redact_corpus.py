"""Both kinds of error are counted on one written corpus: a secret that stays, and a setting that goes."""

from __future__ import annotations

import json
from random import Random
from urllib.parse import quote

import pytest
from secret_corpus import issued, text, written
from setting_corpus import HARMLESS_SETTINGS, SECRET_SETTINGS

from samerun.base.redact import REDACTED, is_secret_text, redact, redact_text

NAMES = sorted(issued(Random(0)))
AROUND = {
    "alone": "{}",
    "line": "  {}\n",
    "prose": "error: {} was refused",
    "list": "['{}', 1]",
    "call": "f(x={}, y=2)",
    "repr of lines": "Error('first\\n{}\\nlast')",
    "url": "https://host/path/{}",
    "percent": "next%3D{}%26",
    "unicode escape": '{{"a":"\\u0022{}"}}',
}


@pytest.mark.parametrize("name", NAMES)
def test_what_an_issuer_hands_out_is_found_wherever_it_stands(name: str) -> None:
    for seed in range(5):
        secret = issued(Random(seed))[name]
        for place, form in AROUND.items():
            shown = form.format(secret.replace("\n", "\\n") if place != "alone" else secret)
            clean = redact_text(shown)
            assert secret not in clean and REDACTED in clean, (place, clean)
            assert _longest_piece(secret) not in clean, (place, clean)
        clean, paths = redact({"steps": 3, "notes": ["fine", {"free": secret}]})
        assert clean == {"steps": 3, "notes": ["fine", {"free": clean["notes"][1]["free"]}]}
        assert secret not in repr(clean) and paths == ["notes[1].free"]


def _longest_piece(secret: str) -> str:
    """The longest part without a separator: what must not be left when only a part was found."""
    return max(secret.replace("\n", ".").replace("-", ".").replace("_", ".").split("."), key=len)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_a_secret_by_how_it_is_written_goes_and_the_rest_stays(seed: int) -> None:
    kept = [(shown, redact_text(shown)) for shown, secret in written(Random(seed)) if secret in redact_text(shown)]
    assert kept == []
    for shown, secret in written(Random(seed)):
        clean = redact_text(shown)
        before, after = shown.split(secret)[0], shown.split(secret)[-1]
        assert clean.startswith(before[:4]) and REDACTED in clean
        assert redact_text(clean) == clean
        assert after == "" or after[-4:] in clean or after.startswith((";", "%")), (shown, clean)


@pytest.mark.parametrize("key", SECRET_SETTINGS)
def test_any_text_under_a_secret_name_goes(key: str) -> None:
    random = Random(key)
    for secret in (text(random, "abcdefgh12345678", 9), "hunter2", "correct horse battery staple"):
        assert redact({key: secret}) == ({key: REDACTED}, [key])
        assert redact({"a": [{"b": {key: [secret]}}]})[0] == {"a": [{"b": {key: [REDACTED]}}]}
        assert redact({key: {"x": {"y": secret}}})[0] == {key: {"x": {"y": REDACTED}}}
        assert redact(["train.py", f"--{key}", secret])[0][2] == REDACTED
        assert redact({"name": key, "value": secret})[0] == {"name": key, "value": REDACTED}


@pytest.mark.parametrize("key", HARMLESS_SETTINGS)
def test_a_setting_that_is_none_stays_in_a_tree_and_in_a_text(key: str) -> None:
    value = HARMLESS_SETTINGS[key]
    tree = {key: value, "nested": {"list": [{key: value}]}}
    assert redact(tree) == (tree, [])
    assert redact_text(key) == key
    line = json.dumps(tree)
    assert redact_text(line) == line
    assert value is None or redact_text(f"{key}={value}") == f"{key}={value}"


def test_the_corpus_is_as_large_as_it_says() -> None:
    assert len(NAMES) + len(written(Random(0))) >= 150
    assert len(HARMLESS_SETTINGS) >= 200


def test_the_marker_tells_no_length() -> None:
    for length in (3, 8, 20, 100, 1000):
        assert redact_text(f"password={'a1' * length}") == f"password={REDACTED}"
        assert redact({"api_key": "k" * length})[0] == {"api_key": REDACTED}


@pytest.mark.parametrize("seed", range(3))
def test_a_percent_encoded_secret_goes(seed: int) -> None:
    random = Random(seed)
    for name, secret in issued(random).items():
        if name.startswith("pem"):
            continue
        shown = f"https://h/x?next={quote('https://k/y?access_token=' + secret, safe='')}"
        assert quote(secret, safe="") not in redact_text(shown), name
        assert is_secret_text(shown)
