"""A literal is found by the name that it stands under, however far from it; names of secrets and other code are not."""

import ast

import pytest

from samerun.record.scrub import clean_source

VALUE = "correct horse 1"


@pytest.mark.parametrize(
    "line",
    [
        f'password = b"{VALUE}"',
        f'password = ("{VALUE}")',
        f'password = os.getenv("X") or "{VALUE}"',
        f'password = os.environ["X"] if x else "{VALUE}"',
        f'password, é = "{VALUE}", "kept"',
        f'password = f"{VALUE}"',
        f'passwords = ["{VALUE}"]',
        f'api_keys = {{"alice": "{VALUE}"}}',
        f'password = SecretStr("{VALUE}")',
        f'password = b"{VALUE}".decode()',
        f'def f(a, *, password: str = "{VALUE}"): pass',
        f'def f(a, password: str = "{VALUE}", b=2): pass',
        f'f = lambda password="{VALUE}": password',
        f'parser.add_argument("--password", type=str, default="{VALUE}")',
        f'self.password = get() or "{VALUE}"',
        f'if (password := x or "{VALUE}"): pass',
    ],
)
def test_a_value_is_found_under_its_name(line: str) -> None:
    clean, count = clean_source("x.py", f"x = 'é'\n{line}\ny = 'kept'\n".encode())
    assert count == 1
    assert VALUE.encode() not in clean and clean.count(b"[redacted]") == 1 and clean.endswith(b"y = 'kept'\n")
    ast.parse(clean)


def test_each_part_of_a_text_in_parts_is_found() -> None:
    parts = b'password = (\n    "correct "\n    "horse 1"\n)\npassword = "correct " + "horse 1"\n'

    clean, count = clean_source("x.py", parts)
    assert clean == b'password = (\n    "[redacted]"\n    "[redacted]"\n)\npassword = "[redacted]" + "[redacted]"\n'
    assert count == 4


@pytest.mark.parametrize(
    "text",
    [
        'SECRET_KEYS = ("password", "api_key", "OPENAI_API_KEY")\n',
        'password = load("a place 1", config["a name 1"])\n',
        'password = f"{user} 12345"\n',
        'password = os.environ["DB 1"]\ntokens = ["a1", "b2"]\n',
        'parser.add_argument("--rate", default="correct horse 1")\n',
        'key = {"a": "loss 1"}\nsession = ["x 1"]\n',
        'x = ["user", "password", "api_key"], ("password", "token")\n',
        'if token == "cls" or token != "sep": pass\n',
    ],
)
def test_what_is_no_secret_stays_to_the_byte(text: str) -> None:
    assert clean_source("x.py", text.encode()) == (text.encode(), 0)
