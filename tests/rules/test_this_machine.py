"""Nothing in the repository names the machine it was written on: no absolute home or checkout path, no package host."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

# Built from pieces so that this file does not name what it forbids.
PIECES = (
    "/wo" + "rk/(main|shared|plan)",
    "/ro" + "ot/",
    "/opt/wh" + "eels",
    r"index-url\s*=\s*\S*//",
    "find-li" + "nks",
)
FORBIDDEN = re.compile("|".join(PIECES))
FOLDERS = ("src", "tests", "docs", "tools", "bench", "examples", ".ci")
TEXT = {".py", ".pyi", ".md", ".toml", ".txt", ".yaml", ".yml", ".json", ".cfg", ""}


def named(text: str) -> Iterator[str]:
    for number, line in enumerate(text.splitlines(), 1):
        found = FORBIDDEN.search(line)
        if found:
            yield f"{number}: {found.group()}"


def ours(repository: Path) -> list[Path]:
    found = [path for folder in FOLDERS for path in sorted((repository / folder).rglob("*"))]
    found += [path for path in repository.iterdir() if not path.name.startswith(".git")]
    return [path for path in found if path.suffix in TEXT and path.is_file() and "__pycache__" not in path.parts]


def test_no_file_names_this_machine(repository: Path) -> None:
    found = {path.name: list(named(path.read_text("utf-8"))) for path in ours(repository)}
    assert len(found) > 50 and {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize("text", ["cd /wo" + "rk/main", "pip install --find-li" + "nks x", "HOME=/ro" + "ot/x"])
def test_a_path_of_this_machine_is_found(text: str) -> None:
    assert list(named(text)) != []
