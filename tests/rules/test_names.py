"""Words that say nothing are in no name of a file, folder or class (DESIGN 2)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

import codebase
from codebase import Module, planted

BANNED = {"utils", "util", "helpers", "helper", "common", "core", "manager", "coordinator", "engine", "handler", "misc"}
VERSION = re.compile(r"^v\d+$")


def words(name: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return [word.lower() for word in re.split(r"[^A-Za-z0-9]+", spaced) if word]


def bad_names(modules: list[Module]) -> Iterator[str]:
    for module in modules:
        for part in module.path.removesuffix(".py").split("/"):
            yield from (f"{module.path}: {word}" for word in words(part) if word in BANNED or VERSION.match(word))
        for node in codebase.classes(module):
            for word in words(node.name):
                if word in BANNED or VERSION.match(word):
                    yield f"{module.path}:{node.lineno} class {node.name}: {word}"


def test_no_name_holds_a_word_that_says_nothing(modules: list[Module]) -> None:
    assert list(bad_names([*modules, *codebase.read_modules("tests", "tools", "bench", "examples")])) == []


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("", "src/samerun/base/utils.py"),
        ("", "src/samerun/common/x.py"),
        ("", "src/samerun/base/file_helpers.py"),
        ("", "src/samerun/record/format_v2.py"),
        ("class RunManager: ...", "src/samerun/base/x.py"),
        ("class HTTPHandler: ...", "src/samerun/base/x.py"),
    ],
)
def test_a_banned_word_is_found(text: str, path: str) -> None:
    assert list(bad_names([planted(text, path)])) != []


def test_words_that_only_contain_a_banned_one_pass() -> None:
    assert list(bad_names([planted("class Scored: ...", "src/samerun/judge/difference.py")])) == []
