"""A secret written into source does not reach the snapshot; code, and what only sounds like a secret, stays."""

import ast

import pytest

from samerun.record.scrub import scrub

TOKEN = "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vX7"


@pytest.mark.parametrize(
    "line",
    [
        f'login(token="{TOKEN}")',
        f"x = '{TOKEN}'",
        f'url = "https://user:{TOKEN}@example.org/x"',
        'password = "correct horse 1"',
        'config = {"api_key": "0123456789abcdef0123"}',
        'api_key: str = "correct horse 1"',
        'os.environ["HF_TOKEN"] = "correct horse 1"',
        'key = os.environ.get("HF_API_KEY", "correct horse 1")',
        'if password == "correct horse 1": pass',
        f'"""A docstring with {TOKEN} in it."""',
        f'f"{{x}} {TOKEN}"',
        f"x = 1  # {TOKEN}",
        f'x = """first\n{TOKEN}\nlast"""',
    ],
)
def test_a_secret_is_replaced_and_the_code_still_parses(line: str) -> None:
    before, after = "import a\n\n", "\ny = 'kept'\n"
    clean, count = scrub((before + line + after).encode())
    text = clean.decode()
    assert count == 1
    assert TOKEN not in text and "horse" not in text and "0123456789abcdef" not in text
    assert text.startswith(before) and text.endswith(after)
    assert text.count("\n") == (before + line + after).count("\n")
    ast.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "num_memory_tokens = 16\ntokenizer = 'gpt2'\npad_token = '[PAD]'\neos_token = '<|endoftext|>'\n",
        "password = getpass()\napi_key = os.environ['KEY']\n",
        "token = 'env:HF_TOKEN'\n",
        "f('api_key', 3)\nx: str = 'plain'\nassert name == 'token'\nf(password, 'x')\n",
        "key = lambda pair: pair[0]\nsorted(x, key='loss')\n",
        "",
        "x = 1\r\ny = 2\r\n",
    ],
)
def test_what_only_sounds_like_a_secret_stays_to_the_byte(text: str) -> None:
    assert scrub(text.encode()) == (text.encode(), 0)


def test_several_secrets_on_one_line_are_all_replaced() -> None:
    clean, count = scrub(f"a = '{TOKEN}', f(password='hunter2hunter2'), '{TOKEN}'\n".encode())
    assert clean.decode() == 'a = "[redacted]", f(password="[redacted]"), "[redacted]"\n'
    assert count == 3


def test_text_that_is_no_python_is_searched_by_shape() -> None:
    clean, count = scrub(f"+def f(:\n+  '{TOKEN}\n".encode())
    assert count == 1 and TOKEN.encode() not in clean
    assert scrub(b"\xff\xfe binary") == (b"\xff\xfe binary", 0)


def test_the_commands_of_a_notebook_are_searched_too() -> None:
    clean, count = scrub(b"x = 1\n%env HF_TOKEN=abcd1234\n  !curl -u me:hunter22 https://h\ny = 7 \\\n  % 3\n")
    assert clean == b"x = 1\n%env HF_TOKEN=[redacted]\n  !curl -u [redacted] https://h\ny = 7 \\\n  % 3\n"
    assert count == 2


def test_a_form_feed_moves_no_line() -> None:
    clean, count = scrub(f"\x0cx = 1\n\x0cy = '{TOKEN}'  # \u2028\nz = 2\n".encode())
    assert clean.decode() == '\x0cx = 1\n\x0cy = "[redacted]"  # \u2028\nz = 2\n' and count == 1
