"""Imports go down the ladder (import-linter; the contracts are in pyproject.toml).
The same check is proved able to fail on a copy with one wrong import."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("lint-imports")
    return subprocess.run(
        [program, "--no-logo", "--no-cache", root / "pyproject.toml"],
        env={**os.environ, "PYTHONPATH": str(root / "src")},
        cwd=root,
        capture_output=True,
        text=True,
    )


def copy_of(repository: Path, target: Path) -> Path:
    keep_python = shutil.ignore_patterns("__pycache__")
    shutil.copytree(repository / "src", target / "src", ignore=keep_python)
    shutil.copy(repository / "pyproject.toml", target)
    return target


def test_imports_go_down_the_ladder_only(repository: Path) -> None:
    answer = lint(repository)
    assert answer.returncode == 0, answer.stdout + answer.stderr


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("base/planted.py", "import samerun.judge.planted\n"),
        ("streams/planted.py", "import samerun.state.planted\n"),
        ("judge/planted.py", "def late():\n    import samerun.run.planted\n"),
        ("judge/planted.py", "def late():\n    import torch\n"),
        ("newfolder/__init__.py", ""),
    ],
    ids=["upwards", "sideways", "sideways inside a function", "a judge with torch", "a folder on no rung"],
)
def test_an_import_against_the_ladder_is_found(repository: Path, tmp_path: Path, file: str, text: str) -> None:
    root = copy_of(repository, tmp_path)
    for folder in ("judge", "state", "run"):
        (root / "src/samerun" / folder / "planted.py").touch()
    (root / "src/samerun" / file).parent.mkdir(exist_ok=True)
    (root / "src/samerun" / file).write_text(text)
    assert lint(root).returncode == 1
