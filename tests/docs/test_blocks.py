"""Every code block of README and docs runs: a page's python blocks as one program, its console blocks line by line.

A page's blocks run in order in one empty folder, in fresh processes. ```yaml blocks are recipes and go
through `samerun explain`; ```text, ```json and ```toml are shown, not run. `<!-- slow -->` makes a page slow."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from codebase import REPOSITORY

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.M | re.S)
SHOWN = {"text", "json", "toml"}
RUN = {"python", "console", "yaml"}
LIMIT_SECONDS = 240


def pages() -> list[Path]:
    found = [REPOSITORY / "README.md", REPOSITORY / "ARCHITECTURE.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
    return [page for page in found if page.exists() and blocks(page.read_text("utf-8"))]


def blocks(text: str) -> list[tuple[str, str]]:
    return BLOCK.findall(text)


def commands(block: str) -> list[str]:
    """Lines that start with `$ `; the rest of a console block is what they print."""
    return [line[2:] for line in block.splitlines() if line.startswith("$ ")]


def run(command: str, folder: Path, allowed: set[int]) -> None:
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": tools},
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
    )
    assert done.returncode in allowed, f"$ {command}\nexit {done.returncode}\n{done.stdout}\n{done.stderr}"


def run_page(text: str, folder: Path) -> None:
    """Run every block; `# exit 1` at the end of a command line says which exit code it has (75 is always a stop)."""
    program = "\n".join(block for language, block in blocks(text) if language == "python")
    if program:
        (folder / "page.py").write_text(program)
        run("python page.py", folder, {0})
    for number, (language, block) in enumerate(blocks(text)):
        if language == "yaml":
            (folder / f"recipe-{number}.yaml").write_text(block)
            run(f"samerun explain recipe-{number}.yaml", folder, {0})
        for command in commands(block) if language == "console" else []:
            if command.startswith("make "):
                continue
            wanted = re.search(r"# exit (\d+)$", command)
            run(command, folder, {int(wanted.group(1))} if wanted else {0})


def marked(page: Path) -> object:
    is_slow = "<!-- slow -->" in page.read_text("utf-8")
    return pytest.param(page, id=page.stem, marks=[pytest.mark.slow] if is_slow else [])


@pytest.mark.parametrize("page", [marked(page) for page in pages()])
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path) -> None:
    run_page(page.read_text("utf-8"), tmp_path)


def test_every_block_says_what_it_is() -> None:
    found = [(page.name, language) for page in pages() for language, _ in blocks(page.read_text("utf-8"))]
    assert [pair for pair in found if pair[1] not in SHOWN | RUN] == []


@pytest.mark.parametrize(
    "text",
    ["```python\nraise SystemExit(3)\n```\n", "```console\n$ false\n```\n", "```console\n$ true  # exit 1\n```\n"],
)
def test_a_block_that_fails_is_found(text: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        run_page(text, tmp_path)
