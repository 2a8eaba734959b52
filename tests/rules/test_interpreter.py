"""Only base/interpreter.py spells the command of a further Python: two spellings soon differ in their asserts."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from codebase import Module, planted

INTERPRETER = "src/samerun/base/interpreter.py"


def commands(modules: list[Module]) -> Iterator[str]:
    for module in modules:
        if module.path == INTERPRETER:
            continue
        for node in ast.walk(module.tree):
            parts = node.elts if isinstance(node, ast.List | ast.Tuple) else []
            if any(module.resolve(part) == "sys.executable" for part in parts):
                yield f"{module.path}:{node.lineno}"


def test_only_one_file_spells_the_command_of_a_further_interpreter(modules: list[Module]) -> None:
    assert list(commands(modules)) == []


@pytest.mark.parametrize(
    "text",
    [
        "import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'x'])",
        "from sys import executable\nwords = (executable, '-P')",
    ],
)
def test_a_command_that_is_spelled_elsewhere_is_found(text: str) -> None:
    assert list(commands([planted(text)])) != []


def test_a_text_that_names_the_interpreter_is_no_command() -> None:
    assert list(commands([planted("import sys\nprint(f'python: {sys.executable}', sys.executable)")])) == []
