"""A word that only names where a value comes from is no secret in a text, and is one in a file of settings."""

from __future__ import annotations

import pytest

from samerun.record.wording import holds_secret, word_spans

HONEST = [
    'api_key = os.environ["OPENAI_API_KEY"]',
    "token = get_token(request)",
    "self.api_key = config.api_key",
    "password = getpass.getpass()",
    "secrets = [s for s in found]",
    '"api_key": api_key',
    "api_key: Optional[str] = None",
    "password = not given",
    "with `token=True` and secrets={}, :param cookies: (optional) those",
]


@pytest.mark.parametrize("line", HONEST)
@pytest.mark.parametrize("label", ["a.md", "a.js", "a.py", "Makefile", "a.ipynb"])
def test_an_expression_is_no_secret(label: str, line: str) -> None:
    spelled = '    "' + line.replace('"', '\\"') + '\\n",\n' if label.endswith(".ipynb") else f"before\n{line}\nafter\n"
    assert word_spans(label, spelled) == []


@pytest.mark.parametrize(
    "line",
    [
        "password = hunter2hunter2",
        'api_key = "hunter2hunter2"',
        "api_key: hunter2hunter2x9",
        "TOKEN=hf_" + "aB3dE5gH7jK9mN1pQ3sT5vX7",
        "x = f(hf_" + "aB3dE5gH7jK9mN1pQ3sT5vX7)",
        "%env HF_TOKEN=abcd1234",
        "https://me:hunter2hunter2@host/x",
    ],
)
@pytest.mark.parametrize("label", ["", "a.md", "a.js", "a.ipynb", "a.yaml"])
def test_a_literal_is_one_everywhere(label: str, line: str) -> None:
    assert word_spans(label, line) and holds_secret(line)


def test_every_word_is_a_value_in_a_file_of_settings() -> None:
    line = "password: aB3(xYz9"
    assert word_spans("conf/a.YAML", line) and not word_spans("a.md", line)


def test_a_long_line_of_names_takes_no_time() -> None:
    assert word_spans("a.js", "key = " + "a." * 200_000) == []
