"""What a message advises exists: each `samerun VERB` in the package's text names a verb of `cli/verbs.py`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from codebase import REPOSITORY, Module, planted
from samerun.cli.verbs import VERBS

WORD = re.compile(r"\bsamerun ([a-z]+)\b")
PROSE = frozenset(
    re.findall(
        r"\w+", "and cannot did does has is itself knows never opens package reads that the to took was works wrote"
    )
)
"""Words that follow the name in a sentence. None of them may become a verb."""


def sentences(module: Module) -> Iterator[tuple[int, str]]:
    """Every text of a file with its line, docstrings included; the values inside an f-string are left out."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def named_in(text: str) -> Iterator[str]:
    for word in WORD.findall(text):
        if word not in VERBS and word not in PROSE:
            yield word


def unknown(modules: list[Module], pages: list[Path]) -> list[str]:
    found = [
        f"{module.path}:{line}: samerun {word}"
        for module in modules
        for line, text in sentences(module)
        for word in named_in(text)
    ]
    return found + [
        f"{page.name}:{number}: samerun {word}"
        for page in pages
        for number, line in enumerate(page.read_text("utf-8").splitlines(), 1)
        for word in named_in(line)
    ]


def test_a_message_names_no_verb_that_does_not_exist(modules: list[Module]) -> None:
    assert unknown(modules, sorted((REPOSITORY / "src/samerun/error_codes").glob("*.toml"))) == []


def test_no_verb_is_a_word_of_prose() -> None:
    assert PROSE.isdisjoint(VERBS)


@pytest.mark.parametrize(
    "text", ["do='samerun fork RUN'", "do=f'{x}; samerun init {y}'", "'''`samerun mark` does it.'''"]
)
def test_a_verb_that_does_not_exist_is_found(text: str, tmp_path: Path) -> None:
    assert len(unknown([planted(text)], [])) == 1
    page = tmp_path / "page.toml"
    page.write_text(f"do = {text!r}")
    assert len(unknown([], [page])) == 1
