"""Nothing in the repository names the machine it was written on: no absolute home or checkout path, no package host."""

from __future__ import annotations

import re
import subprocess
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
TEXT = {".py", ".pyi", ".md", ".toml", ".txt", ".yaml", ".yml", ".json", ".cfg", ""}


def named(text: str) -> Iterator[str]:
    for number, line in enumerate(text.splitlines(), 1):
        found = FORBIDDEN.search(line)
        if found:
            yield f"{number}: {found.group()}"


def tracked(repository: Path) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=repository, capture_output=True, text=True, check=True
    ).stdout
    paths = (repository / name for name in listed.split("\0") if name)
    return [path for path in paths if path.suffix in TEXT and path.is_file()]


def test_no_file_names_this_machine(repository: Path) -> None:
    found = {path.name: list(named(path.read_text("utf-8"))) for path in tracked(repository)}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize("text", ["cd /wo" + "rk/main", "pip install --find-li" + "nks x", "HOME=/ro" + "ot/x"])
def test_a_path_of_this_machine_is_found(text: str) -> None:
    assert list(named(text)) != []
