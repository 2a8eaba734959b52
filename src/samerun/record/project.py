"""Where the user's project is: its root, and the folder of its runs (`[tool.samerun] runs` in pyproject.toml).

Looked up from a folder or file upwards; nothing here imports or writes anything of the project.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from samerun.errors import ConfigError

ROOT_MARKS: Final = ("pyproject.toml", "setup.py", ".git")
DEFAULT_RUNS: Final = "runs"


def project_root(start: Path) -> Path:
    """Return the nearest folder at or above `start` that looks like the root of a project, else the folder of `start`.

    `start` is a folder, or a file (a recipe, a script) inside one; it need not exist.
    """
    start = start.resolve()
    folder = start if start.is_dir() else start.parent
    for candidate in (folder, *folder.parents):
        if any((candidate / mark).exists() for mark in ROOT_MARKS):
            return candidate
    return folder


def runs_folder(given: Path | None, start: Path | None = None) -> Path:
    """Return the folder of runs: the one given, else that of the project around `start` (default: here), else `runs`.

    A path in pyproject.toml is relative to it. The folder need not exist. Raises ConfigError SR-PROJECT-001 for a
    `[tool.samerun]` table that cannot be understood.
    """
    if given is not None:
        return given
    root = project_root(start or Path.cwd())
    file = root / "pyproject.toml"
    if not file.is_file():
        return Path(DEFAULT_RUNS)
    named = _named_runs(file)
    return root / named if named is not None else Path(DEFAULT_RUNS)


def _named_runs(file: Path) -> str | None:
    named = project_table(file).get("runs")
    if named is not None and not (isinstance(named, str) and named):
        raise _unreadable(file, f"[tool.samerun] runs is {named!r}, not a path")
    return named


def project_table(file: Path) -> dict[str, Any]:
    """Read `[tool.samerun]` of a pyproject.toml; it is empty where there is none. Raises ConfigError SR-PROJECT-001."""
    import tomllib

    data = file.read_bytes() if file.is_file() else b""
    if b"samerun" not in data:
        return {}
    try:
        table = tomllib.loads(data.decode()).get("tool", {}).get("samerun", {})
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise _unreadable(file, str(problem)) from problem
    return table if isinstance(table, dict) else {}


def _unreadable(file: Path, problem: str) -> ConfigError:
    return ConfigError(
        "SR-PROJECT-001",
        f"{file.name} does not say where runs go",
        evidence=[f"{file}: {problem}"],
        do='write [tool.samerun] and runs = "runs", or pass --runs DIR',
    )
